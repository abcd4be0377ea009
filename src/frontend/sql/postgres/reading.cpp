#include "frontend/sql/postgres/reading.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/error.h"

namespace tessera::frontend::sql {

size_t Reading::token(int32_t location) const {
  if (location < 0) {
    return statement.first;
  }
  return std::min(tokens.at(rewriting.place_of(location)), statement.last - 1);
}

SourceSpan Reading::through_bracket(SourceSpan span, size_t opening) const {
  if (opening < tokens.size() && tokens.match(opening) != Tokens::kNone) {
    return hull(span, tokens[tokens.match(opening)].span);
  }
  return span;
}

void refuse_node(const PgQuery__Node& node, SourceSpan near) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_GROUPING_SET:
      refuse(near, "GROUPING SETS, ROLLUP, CUBE or ()");
    case PG_QUERY__NODE__NODE_GROUPING_FUNC:
      refuse(near, "GROUPING");
    case PG_QUERY__NODE__NODE_SET_TO_DEFAULT:
      refuse(near, "DEFAULT as a value", "leave its column out of the list of columns");
    case PG_QUERY__NODE__NODE_PARAM_REF:
      refuse(near, "a parameter");
    case PG_QUERY__NODE__NODE_COLLATE_CLAUSE:
      refuse(near, "COLLATE");
    case PG_QUERY__NODE__NODE_NAMED_ARG_EXPR:
      refuse(near, "an argument with a name");
    case PG_QUERY__NODE__NODE_MULTI_ASSIGN_REF:
      refuse(near, "an assignment to several columns at once",
             "write one `column = value` for each");
    case PG_QUERY__NODE__NODE_CURRENT_OF_EXPR:
      refuse(near, "CURRENT OF");
    case PG_QUERY__NODE__NODE_RANGE_TABLE_SAMPLE:
      refuse(near, "TABLESAMPLE");
    case PG_QUERY__NODE__NODE_RANGE_TABLE_FUNC:
      refuse(near, "XMLTABLE");
    case PG_QUERY__NODE__NODE_TABLE_LIKE_CLAUSE:
      refuse(near, "LIKE in a definition of a table");
    default:
      break;
  }
  // The name of the union's set field names the node: `xml_expr`.
  const ProtobufCFieldDescriptor* field = protobuf_c_message_descriptor_get_field(
      node.base.descriptor, static_cast<unsigned>(node.node_case));
  std::string name = field == nullptr ? "this" : field->name;
  std::replace(name.begin(), name.end(), '_', ' ');
  refuse(near, name);
}

std::string string_of(const PgQuery__Node& node) {
  TESSERA_CHECK(node.node_case == PG_QUERY__NODE__NODE_STRING, "no name, but node {}",
                static_cast<int>(node.node_case));
  return node.string->sval;
}

std::string dotted(PgQuery__Node* const* names, size_t count) {
  std::string text;
  for (size_t index = 0; index < count; ++index) {
    text += (index == 0 ? "" : ".") + string_of(*names[index]);
  }
  return text;
}

std::vector<Name> names_of(const Reading& reading, PgQuery__Node* const* names, size_t count,
                           size_t first) {
  std::vector<Name> found;
  for (size_t index = 0; index < count; ++index) {
    found.push_back({string_of(*names[index]), reading.place(first + 2 * index)});
  }
  return found;
}

AliasAt alias_at(const Reading& reading, std::string text, size_t index) {
  while (reading.tokens.is(index, ")") || reading.tokens.is(index, "*")) {
    ++index;
  }
  index += reading.tokens.is(index, "as") ? 1 : 0;
  return {{std::move(text), reading.place(index)}, index + 1};
}

}  // namespace tessera::frontend::sql
