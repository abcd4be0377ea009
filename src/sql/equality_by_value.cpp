#include "sql/equality_by_value.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/row_bytes.h"
#include "sql/stages.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

constexpr const char* kNumbered = "tessera_row";

/// One side of a comparison: tensors that the rows of one table say.
struct Side {
  const Scope::Entry* entry;
  ExpressionPtr expression;
  ArrayType type;
};

/// Two sides, equal or not.
struct Comparison {
  ExpressionPtr one, other;
  bool is_negated = false;
  bool knows_nulls = false;  // IS DISTINCT FROM
};

std::optional<Comparison> comparison_of(const ExpressionPtr& expression) {
  if (const auto* const operation = std::get_if<Operation>(&expression->of);
      operation != nullptr && operation->operands.size() == 2 &&
      (operation->symbol == "=" || operation->symbol == "<>")) {
    return Comparison{operation->operands[0], operation->operands[1], operation->symbol == "<>"};
  }
  const auto* const test = std::get_if<Test>(&expression->of);
  return test != nullptr && test->kind == Test::Kind::distinct
             ? std::optional(Comparison{test->operand, test->other, !test->is_negated, true})
             : std::nullopt;
}

/// SQLite has no rowid of the tables of a join in parentheses.
bool has_joins_in_parentheses(const FromItemPtr& item) {
  const auto* const join = std::get_if<JoinReference>(&item->of);
  return join != nullptr && (std::holds_alternative<JoinReference>(join->right->of) ||
                             has_joins_in_parentheses(join->left));
}

class ComparingByValue {
 public:
  ComparingByValue(BoundSelect& select, QueryCompiler& compiler)
      : select_(select), compiler_(compiler) {}

  /// A condition, or one of several that AND joins.
  ExpressionPtr conjunct(const ExpressionPtr& condition) { return changed(condition, true); }

  FromItemPtr joined(const FromItemPtr& item) {
    const auto* const join = std::get_if<JoinReference>(&item->of);
    if (join == nullptr) {
      return item;
    }
    JoinReference other = *join;
    other.left = joined(join->left);
    other.right = joined(join->right);
    if (join->condition) {
      other.condition = conjunct(join->condition);
    }
    FromItem changed = *item;
    changed.of = std::move(other);
    return std::make_shared<const FromItem>(std::move(changed));
  }

 private:
  ExpressionPtr changed(const ExpressionPtr& condition, bool is_conjunct) {
    if (const auto* const logical = std::get_if<Logical>(&condition->of)) {
      Logical other = *logical;
      for (ExpressionPtr& operand : other.operands) {
        operand = changed(operand, is_conjunct && logical->kind == Logical::Kind::all);
      }
      return make_expression(std::move(other), condition->span);
    }
    const std::optional<Comparison> comparison = comparison_of(condition);
    const std::optional<Side> one = comparison ? side_of(comparison->one) : std::nullopt;
    const std::optional<Side> other = one ? side_of(comparison->other) : std::nullopt;
    if (!other || one->entry == other->entry || one->type.shape != other->type.shape) {
      return condition;
    }
    return numbers_compared(*comparison, *one, *other, is_conjunct);
  }

  /// Nothing where it is no tensor, or not said by the rows of one table.
  std::optional<Side> side_of(const ExpressionPtr& expression) {
    const Scope::Entry* entry = nullptr;
    bool is_of_one = true;
    for_each(expression, [&](const ExpressionPtr& part) {
      const auto* const column = std::get_if<ColumnReference>(&part->of);
      const auto* const call = std::get_if<Call>(&part->of);
      const TensorFunction* const function =
          call == nullptr ? nullptr
                          : compiler_.vocabulary().tensor_functions.find(call->function.text);
      const bool is_query = std::holds_alternative<ScalarQuery>(part->of) ||
                            std::holds_alternative<Exists>(part->of) ||
                            std::holds_alternative<In>(part->of);
      const bool draws = function != nullptr && function->is_of_scalars;
      if (column != nullptr) {
        const Scope::Entry* const found = entry_of(*column);
        is_of_one = is_of_one && found != nullptr && (entry == nullptr || entry == found);
        entry = found;
      }
      is_of_one = is_of_one && !is_query && !draws && (call == nullptr || !call->over);
      return is_of_one;
    });
    if (!is_of_one || entry == nullptr) {
      return std::nullopt;
    }
    Level level(select_.scope, compiler_.vocabulary(), compiler_.random_keys());
    const std::optional<TensorValue> value = level.tensor_of(expression);
    return value && !value->is_number() ? std::optional(Side{entry, expression, value->term.type})
                                        : std::nullopt;
  }

  const Scope::Entry* entry_of(const ColumnReference& column) const {
    const Scope::Entry* found = nullptr;
    for (const Scope::Entry& entry : select_.scope.entries()) {
      const bool has =
          std::any_of(entry.relation->columns.begin(), entry.relation->columns.end(),
                      [&](const RelationColumn& one) { return one.key == column.column.text; });
      if (has && (!column.table || column.table->text == entry.alias)) {
        if (found != nullptr) {
          return nullptr;
        }
        found = &entry;
      }
    }
    return found;
  }

  /// The rows of a side's table that have a tensor: their numbers, and the tensors.
  RelationPtr rows_of(const Side& side, DType dtype) {
    BoundSelect rows = select_from(side.entry->relation, side.entry->alias);
    const ExpressionPtr value =
        side.type.dtype == dtype
            ? side.expression
            : make_expression(
                  Cast{side.expression, TypeName{Name{std::string(name_of(dtype)), {}}, {}, {}}},
                  side.expression->span);
    rows.targets = {{make_expression(row_number(side)), Name{kNumbered, {}}},
                    {value, Name{"value", {}}}};
    return compile_bound(std::move(rows), compiler_);
  }

  static ColumnReference row_number(const Side& side) {
    return {Name{side.entry->alias, {}}, Name{"rowid", {}}};
  }

  ExpressionPtr numbers_compared(const Comparison& comparison, const Side& one, const Side& other,
                                 bool is_conjunct) {
    const DType dtype = promote(one.type.dtype, other.type.dtype);
    const std::vector<RelationPtr> rows{rows_of(one, dtype), rows_of(other, dtype)};
    std::vector<std::string> names;
    for (const RelationPtr& side : rows) {
      names.push_back(side->columns[1].tensor->name);
    }
    compiler_.program().keep(names, compiler_.control());
    ValueNumbers values;
    std::vector<Numbers> numbers;
    for (const RelationPtr& side : rows) {
      numbers.push_back(numbers_of(*side, values));
    }
    const ExpressionPtr first = called(std::move(numbers[0]), one);
    if (is_conjunct && !comparison.is_negated && !comparison.knows_nulls) {
      return found_by_number(numbers[1], other, first);
    }
    const ExpressionPtr second = called(std::move(numbers[1]), other);
    return comparison.knows_nulls
               ? make_expression(Test{Test::Kind::distinct, !comparison.is_negated, first, second})
               : make_expression(Operation{comparison.is_negated ? "<>" : "=", {first, second}});
  }

  using Numbers = std::unordered_map<int64_t, int64_t>;  // by row

  Numbers numbers_of(const Relation& rows, ValueNumbers& values) {
    const TensorRows& tensor = *rows.columns[1].tensor;
    const size_t table = values.add_table(compiler_.program().source(tensor.name), tensor);
    database::Statement query = compiler_.connection().prepare(
        fmt::format("SELECT {0}, {1} FROM {2} WHERE {1} IS NOT NULL ORDER BY {1}",
                    sqlite_name(rows.columns[0].key), sqlite_name(rows.columns[1].key),
                    sqlite_name(rows.table)));
    Numbers numbers;
    while (query.step()) {
      numbers.emplace(query.integer(0), values.number_of(table, query.integer(1)));
    }
    return numbers;
  }

  /// The number of a row's tensor, NULL where it has none.
  ExpressionPtr called(Numbers numbers, const Side& side) {
    auto function = std::make_shared<const database::LentFunction>(
        compiler_.connection(),
        [numbers = std::move(numbers)](const database::Value& row) -> database::Value {
          const auto* const key = std::get_if<int64_t>(&row);
          const auto found = key == nullptr ? numbers.end() : numbers.find(*key);
          return found == numbers.end() ? database::Value() : found->second;
        });
    select_.functions.push_back(function);
    return make_expression(
        Call{Name{database::LentFunction::kName, {}},
             {make_expression(NumberLiteral{std::to_string(function->number()), true}),
              make_expression(row_number(side))}});
  }

  /// Whether a row is one of those with a number, as a query, by whose index SQLite finds them.
  ExpressionPtr found_by_number(const Numbers& numbers, const Side& side,
                                const ExpressionPtr& number) {
    const RelationPtr table = compiler_.make_relation("SELECT 0 AS number, 0 AS row WHERE 0");
    const std::string name = sqlite_name(table->table);
    database::Statement insert =
        compiler_.connection().prepare(fmt::format("INSERT INTO temp.{} VALUES (?, ?)", name));
    for (const auto& [row, value] : numbers) {
      insert.bind(0, value);
      insert.bind(1, row);
      insert.step();
      insert.reset();
    }
    compiler_.connection().execute(fmt::format("CREATE INDEX temp.{} ON {}(number, row)",
                                               sqlite_name(table->table + "_by_number"), name));
    Select query;
    const auto column = [&](const char* key) {
      return make_expression(ColumnReference{Name{table->table, {}}, Name{key, {}}});
    };
    query.targets.push_back({column("row"), std::nullopt});
    query.from.push_back(std::make_shared<const FromItem>(
        FromItem{TableReference{Name{table->table, {}}, {}, false}, std::nullopt, {}, {}}));
    query.where = make_expression(Operation{"=", {column("number"), number}});
    auto made = std::make_shared<const Select>(std::move(query));
    select_.scope.add_query(made, table);
    return make_expression(In{false, make_expression(row_number(side)), {}, made});
  }

  BoundSelect& select_;
  QueryCompiler& compiler_;
};

}  // namespace

void compare_by_value(BoundSelect& select, QueryCompiler& compiler) {
  if (select.scope.entries().size() < 2 ||
      std::any_of(select.from.begin(), select.from.end(), has_joins_in_parentheses)) {
    return;
  }
  ComparingByValue comparing(select, compiler);
  for (ExpressionPtr& condition : select.conjuncts) {
    condition = comparing.conjunct(condition);
  }
  for (FromItemPtr& item : select.from) {
    item = comparing.joined(item);
  }
}

}  // namespace tessera::sql
