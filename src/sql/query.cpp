#include "sql/query.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/overload.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/inlined_tables.h"
#include "sql/rank_bounds.h"
#include "sql/recursion.h"
#include "sql/stages.h"
#include "sql/star_columns.h"
#include "sql/statement_error.h"
#include "sql/stored_scalars.h"
#include "sql/unnest.h"
#include "store/memory_tensor.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// The query with the names that its results have as aliases, so that SQLite gives no others.
SelectPtr with_names(Select query) {
  for (Target& target : query.targets) {
    if (!std::holds_alternative<Star>(target.expression->of)) {
      target.alias = Name{name_of(target), target.alias ? target.alias->span : SourceSpan{}};
    }
  }
  return std::make_shared<const Select>(std::move(query));
}

/// Whether a function in FROM is given nothing that a table beside it has.
bool reads_no_columns(const ExpressionPtr& call) {
  bool reads = false;
  for_each(call, [&](const ExpressionPtr& part) {
    reads = reads || std::holds_alternative<ColumnReference>(part->of);
    return !reads;
  });
  return !reads;
}

SelectPtr all_rows_of(const FromItemPtr& item) {
  Select all;
  all.targets.push_back({make_expression(Star{}), std::nullopt});
  all.from.push_back(item);
  all.span = item->span;
  return std::make_shared<const Select>(std::move(all));
}

}  // namespace

QueryCompiler::QueryCompiler(database::Database& database, TensorProgram& program,
                             const Vocabulary& vocabulary, TableFinder& finder,
                             const engine::RunControl& control, RandomKeys keys)
    : database_(database),
      program_(program),
      vocabulary_(vocabulary),
      finder_(finder),
      control_(control),
      random_keys_(std::move(keys)),
      key_tables_(database.connection()) {}

RelationPtr QueryCompiler::find_table(const TableReference& table, SourceSpan span) {
  const std::string& name = table.table.text;
  if (table.version.empty()) {
    for (size_t depth = common_.size(); depth-- > 0;) {
      const auto found = common_[depth].find(name);
      if (found != common_[depth].end()) {
        return found->second;
      }
    }
    const auto known = tables_.find(name);
    if (known != tables_.end()) {
      return known->second;
    }
  }
  if (RelationPtr relation = at(span, [&] { return finder_.find(table, span); })) {
    held_.push_back(relation);
    return relation;
  }
  const std::optional<database::Table> stored = database_.catalog().find_table(name);
  if (!stored) {
    fail_no_table(table.table);
  }
  Relation relation{name, {}};
  for (const database::Column& column : stored->columns) {
    RelationColumn& made = relation.columns.emplace_back(RelationColumn{column.name});
    if (const database::TensorType* const tensor = database::tensor_of(column.type)) {
      std::shared_ptr<const store::TileSource> rows = database_.open_tensor(column);
      TESSERA_USER_CHECK(rows != nullptr || database_.connection().integer("SELECT count(*) FROM " +
                                                                           sqlite_name(name)) == 0,
                         "column {} of {} has no extents yet", column.name, name);
      if (rows == nullptr) {  // of an empty table: any extents will do
        ArrayType type{tensor->dtype, {0}};
        for (const std::optional<int64_t>& extent : tensor->extents) {
          type.shape.push_back(extent.value_or(1));
        }
        rows = std::make_shared<store::MemoryTensor>(type);
      }
      made.tensor = program_.add_stored(name + "." + column.name, std::move(rows));
      made.tensor->is_of_table = true;
    } else {
      made.scalar = std::get<database::ScalarType>(column.type);
    }
  }
  know_nan_columns(connection(), name, relation);
  return tables_[name] = std::make_shared<const Relation>(std::move(relation));
}

std::optional<std::string> QueryCompiler::scalar_text(const SelectPtr& query) {
  if (uses_tensors(query, {})) {
    return std::nullopt;
  }
  return sqlite_text(*prepared_scalar(query, {}));
}

RelationPtr QueryCompiler::with_aliases(RelationPtr relation, const std::vector<Name>& names) {
  if (names.empty()) {
    return relation;
  }
  TESSERA_USER_CHECK(names.size() <= relation->columns.size(), "{} names are given for {} columns",
                     names.size(), relation->columns.size());
  std::string text;
  std::vector<RelationColumn> columns = relation->columns;
  for (size_t number = 0; number < columns.size(); ++number) {
    const std::string old = sqlite_name(columns[number].key);
    if (number < names.size()) {
      columns[number].name = names[number].text;
    }
    text += (number == 0 ? "" : ", ") + old + " AS " + sqlite_name(columns[number].name);
  }
  return make_relation(
      "SELECT " + text + " FROM " + sqlite_name(relation->table) + " ORDER BY rowid", columns);
}

/// What a function in FROM gives; null where it is given what tables beside it have.
RelationPtr QueryCompiler::rows_of_function(const FromItemPtr& item) {
  if (!reads_no_columns(std::get<FunctionReference>(item->of).call)) {
    return nullptr;
  }
  const std::optional<std::string> text = scalar_text(all_rows_of(item));
  return text ? make_relation(*text) : nullptr;
}

FromItemPtr QueryCompiler::prepared(const FromItemPtr& item, Scope& scope) {
  FromItem other = *item;
  const auto stand = [&](RelationPtr relation, const std::string& alias) {
    other.of = TableReference{Name{relation->table, {}}, {}, false};
    other.alias = Name{alias, {}};
    other.column_aliases.clear();
    scope.add(alias, std::move(relation));
  };
  const auto stand_for = [&](RelationPtr relation, const std::string& alias) {
    stand(with_aliases(std::move(relation), item->column_aliases), alias);
  };
  std::visit(Overload{[&](const TableReference& node) {
                        stand_for(find_table(node, item->span),
                                  item->alias ? item->alias->text : node.table.text);
                      },
                      [&](const QueryReference& node) {
                        if (node.is_lateral) {
                          at(item->span, [] {
                            throw_error(ErrorKind::unsupported,
                                        "LATERAL in a query about tensors; ask among the targets");
                          });
                        }
                        const std::string alias = item->alias ? item->alias->text : new_name();
                        stand_for(compile(node.query), alias);
                      },
                      [&](const FunctionReference& node) {
                        const auto* const call = std::get_if<Call>(&node.call->of);
                        if (call != nullptr && is_unnest(*call)) {
                          other = *unnest_table(*item, scope, *this);
                        } else if (const RelationPtr rows = rows_of_function(item)) {
                          stand(rows, name_in_scope(*item).value_or(rows->table));
                        }
                      },
                      [&](const JoinReference& node) {
                        JoinReference join = node;
                        const size_t first_entry = scope.entries().size();
                        join.left = prepared(node.left, scope);
                        const bool is_inner = node.kind == JoinReference::Kind::inner ||
                                              node.kind == JoinReference::Kind::cross;
                        const size_t num_conditions = scope.conditions().size();
                        join.right = prepared(node.right, scope);
                        if (!is_inner && scope.conditions().size() > num_conditions) {
                          throw_error(ErrorKind::unsupported, "an outer join with unnest");
                        }
                        join.condition = prepared(node.condition, scope);
                        other.of = without_natural(std::move(join), scope, first_entry);
                      }},
             item->of);
  return std::make_shared<const FromItem>(std::move(other));
}

RelationPtr QueryCompiler::compile(const SelectPtr& query) {
  if (common_.empty()) {  // it is in no other
    finder_.expect(query);
  }
  return compile_expected(query);
}

namespace {

/// Tables that are known while a query is compiled.
template <class Tables>
class KnownTables {
 public:
  explicit KnownTables(std::vector<Tables>& all) : all_(all) { all_.push_back({}); }
  KnownTables(const KnownTables&) = delete;
  KnownTables& operator=(const KnownTables&) = delete;
  ~KnownTables() { all_.pop_back(); }

 private:
  std::vector<Tables>& all_;
};

}  // namespace

std::variant<RowQuery, RelationPtr> QueryCompiler::compile_result(const SelectPtr& query) {
  finder_.expect(query);
  const SelectPtr named = with_names(*query);
  const size_t num_held = held_.size();
  const KnownTables views(common_);
  if (query->with.empty()) {
    define_first_rows_of_views(*query);
  }
  const std::optional<std::string> text = scalar_text(named);
  if (!text) {
    RelationPtr relation = compile_expected(query);
    held_.resize(num_held);
    return relation;
  }
  const auto first_held = held_.begin() + static_cast<std::ptrdiff_t>(num_held);
  std::vector<RelationPtr> reads(first_held, held_.end());
  held_.resize(num_held);
  RowQuery rows = rows_of(*text, std::move(reads));
  if (query->with.empty()) {
    set_types(rows.columns, *named);
  }
  return rows;
}

RelationPtr QueryCompiler::compile_expected(const SelectPtr& written) {
  if (!written->with.empty()) {
    const SelectPtr named = with_names(*written);
    if (const std::optional<std::string> text = scalar_text(named)) {
      return with_types(make_relation(*text), *named);
    }
  }
  const SelectPtr query = with_bounded_tables(with_inlined_tables(written));
  const size_t num_held = held_.size();
  const KnownTables tables(common_);
  for (const CommonTable& table : query->with) {
    define(table.name.text, query->is_recursive && reads_itself(table)
                                ? compile_recursion(table, *query, *this)
                                : with_aliases(compile(table.query), table.columns));
  }
  define_first_rows_of_views(*query);
  RelationPtr relation = compile_body(query);
  held_.resize(num_held);
  return relation;
}

RelationPtr QueryCompiler::compile_named(const SelectPtr& query, const std::vector<Name>& names) {
  // Where every target is written out, the names become its aliases.
  const bool is_plain =
      query->operation == Select::SetOperation::none && query->values.empty() &&
      query->targets.size() == names.size() &&
      std::none_of(query->targets.begin(), query->targets.end(), [](const Target& target) {
        return std::holds_alternative<Star>(target.expression->of);
      });
  if (!is_plain) {
    return with_aliases(compile(query), names);
  }
  Select named = *query;
  for (size_t number = 0; number < names.size(); ++number) {
    named.targets[number].alias = names[number];
  }
  return compile(std::make_shared<const Select>(std::move(named)));
}

std::string name_of(const Target& target) {
  if (target.alias) {
    return target.alias->text;
  }
  return std::visit(Overload{[](const ColumnReference& node) { return node.column.text; },
                             [](const Element& node) {
                               return name_of({node.operand, std::nullopt});
                             },
                             [](const Call& node) { return node.function.text; },
                             [](const Case&) { return std::string("case"); },
                             [](const Cast& node) { return node.type.name.text; },
                             [](const auto&) { return std::string("?column?"); }},
                    target.expression->of);
}

RelationPtr QueryCompiler::compile_body(const SelectPtr& query) {
  Select body = *query;
  body.with.clear();
  const SelectPtr without_with = with_column_types(with_names(std::move(body)));
  if (const std::optional<std::string> text = scalar_text(without_with)) {
    return with_types(make_relation(*text), *without_with);
  }
  if (query->operation != Select::SetOperation::none) {
    return with_types_of_scalars(compile_set_operation(*without_with), *without_with);
  }
  if (!query->values.empty()) {
    return with_types_of_scalars(compile_values(*without_with), *without_with);
  }
  if (const SelectPtr over_groups = with_own_aggregates(without_with)) {
    return compile_body(over_groups);
  }
  return compile_bound(bind(*without_with, *this), *this);
}

}  // namespace tessera::sql
