#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "frontend/sql/postgres/reading.h"

namespace tessera::frontend::sql {

namespace {

/// Clauses as users write them, by the field of PostgreSQL's node that holds them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 44> kClauses = {{
    {"locking_clause", "FOR UPDATE"},
    {"group_distinct", "GROUP BY DISTINCT"},
    {"into_clause", "SELECT INTO"},
    {"on_conflict_clause", "ON CONFLICT"},
    {"returning_list", "RETURNING"},
    {"with_clause", "WITH"},
    {"override", "OVERRIDING"},
    {"where_clause", "WHERE"},
    {"catalogname", "a catalogue before a name"},
    {"schemaname", "a schema before a name"},
    {"is_rowsfrom", "ROWS FROM"},
    {"coldeflist", "a list of column definitions behind a function"},
    {"join_using_alias", "AS behind USING"},
    {"agg_within_group", "WITHIN GROUP"},
    {"func_variadic", "VARIADIC"},
    {"setof", "SETOF"},
    {"pct_type", "%TYPE"},
    {"use_op", "USING"},
    {"search_clause", "SEARCH"},
    {"cycle_clause", "CYCLE"},
    {"inh_relations", "INHERITS"},
    {"partbound", "PARTITION OF"},
    {"partspec", "PARTITION BY"},
    {"of_typename", "OF"},
    {"options", "WITH"},
    {"oncommit", "ON COMMIT"},
    {"on_commit", "ON COMMIT"},
    {"tablespacename", "TABLESPACE"},
    {"table_space_name", "TABLESPACE"},
    {"table_space", "TABLESPACE"},
    {"skip_data", "WITH NO DATA"},
    {"coll_clause", "COLLATE"},
    {"collation", "COLLATE"},
    {"deferrable", "DEFERRABLE"},
    {"is_no_inherit", "NO INHERIT"},
    {"with_check_option", "WITH CHECK OPTION"},
    {"index_including_params", "INCLUDE"},
    {"is_program", "PROGRAM"},
    {"concurrent", "CONCURRENTLY"},
    {"pktable", "REFERENCES"},
    {"generated_when", "GENERATED"},
    {"exclusions", "EXCLUDE"},
    {"savepoint_name", "SAVEPOINT"},
    {"gid", "PREPARE TRANSACTION"},
}};

/// Fields that PostgreSQL's own passes fill in later, and places.
constexpr std::array<std::string_view, 3> kNoClauses = {"location", "xpr", "rtindex"};

std::string clause_of(std::string_view field) {
  const auto known = std::find_if(kClauses.begin(), kClauses.end(),
                                  [&](const auto& clause) { return clause.first == field; });
  if (known != kClauses.end()) {
    return std::string(known->second);
  }
  std::string name(field);
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

template <class T>
T value_at(const Message& node, size_t offset) {
  T value;
  std::memcpy(&value, reinterpret_cast<const char*>(&node) + offset, sizeof(T));
  return value;
}

bool is_empty(const Message& node, const ProtobufCFieldDescriptor& field) {
  if (field.label == PROTOBUF_C_LABEL_REPEATED) {
    return value_at<size_t>(node, field.quantifier_offset) == 0;
  }
  switch (field.type) {
    case PROTOBUF_C_TYPE_MESSAGE:
      return value_at<const void*>(node, field.offset) == nullptr;
    case PROTOBUF_C_TYPE_STRING: {
      const char* text = value_at<const char*>(node, field.offset);
      return text == nullptr || *text == '\0';
    }
    case PROTOBUF_C_TYPE_ENUM:
      // 0 is never written, and 1 is the default of a statement without the clause:
      // LIMIT_OPTION_DEFAULT.
      return value_at<int32_t>(node, field.offset) <= 1;
    default:
      return value_at<int32_t>(node, field.offset) == 0;  // a number or a truth value
  }
}

/// Returns the place of a clause that is named by its keywords: the first of them after the node's
/// begin.
SourceSpan place_of_clause(const Reading& reading, std::string_view clause, SourceSpan near) {
  if (clause[0] < 'A' || clause[0] > 'Z') {
    return near;
  }
  std::string word(clause.substr(0, clause.find(' ')));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char letter) { return static_cast<char>(std::tolower(letter)); });
  for (size_t index = reading.tokens.at(near.begin); index < reading.statement.last; ++index) {
    if (reading.tokens.is(index, word)) {
      return reading.place(index);
    }
  }
  return near;
}

}  // namespace

SourceSpan place_of_node(const Reading& reading, const PgQuery__Node& node) {
  const ProtobufCFieldDescriptor* kind = protobuf_c_message_descriptor_get_field(
      node.base.descriptor, static_cast<unsigned>(node.node_case));
  if (kind == nullptr) {
    return reading.whole();
  }
  const auto& message =
      *static_cast<const Message*>(value_at<const void*>(node.base, kind->offset));
  const ProtobufCFieldDescriptor* location =
      protobuf_c_message_descriptor_get_field_by_name(message.descriptor, "location");
  return location == nullptr ? reading.whole()
                             : reading.span(value_at<int32_t>(message, location->offset));
}

void refuse_fields_but(const Reading& reading, const Message& node, SourceSpan near,
                       std::initializer_list<std::string_view> converted) {
  const auto is_in = [](const auto& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (unsigned index = 0; index < node.descriptor->n_fields; ++index) {
    const ProtobufCFieldDescriptor& field = node.descriptor->fields[index];
    if (!is_in(converted, field.name) && !is_in(kNoClauses, field.name) && !is_empty(node, field)) {
      const std::string clause = clause_of(field.name);
      refuse(place_of_clause(reading, clause, near), clause);
    }
  }
}

}  // namespace tessera::frontend::sql
