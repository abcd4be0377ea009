#include "sql/top_rows_select.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <fmt/ranges.h>

#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/first_part.h"
#include "sql/from_factors.h"
#include "sql/partial_functions.h"
#include "sql/query.h"
#include "sql/ranked_product.h"
#include "sql/scalar_types.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

constexpr const char* kTopRows = "tessera_top";  // the table of rows that are chosen

std::string row_column(const std::string& alias) {
  return "row of " + alias;
}

ExpressionPtr column_of_chosen(const std::string& name, SourceSpan span = {}) {
  return make_expression(ColumnReference{Name{kTopRows, {}}, Name{name, {}}}, span);
}

/// Makes the SELECT over the chosen rows.
class TopRowsSelect {
 public:
  TopRowsSelect(const BoundSelect& select, QueryCompiler& compiler)
      : select_(select),
        compiler_(compiler),
        keys_(compiler.random_keys()),
        level_(select_.scope, compiler.vocabulary(), keys_) {}

  std::optional<BoundSelect> make(const RankedWindow& window) {
    factors_ = FromFactors::of(select_.from, select_.conjuncts, select_.scope);
    if (!factors_ || !are_conditions_plain() || !find_partition(window) || !find_order(window) ||
        !take_numbers()) {
      return std::nullopt;
    }
    product_.function = window.function;
    product_.most = window.most;
    find_differences();
    if (!make_tables()) {
      return std::nullopt;
    }
    const std::optional<ProductRows> rows = top_rows_of(product_, level_, compiler_);
    return rows ? std::optional(select_over(table_of(*rows))) : std::nullopt;
  }

 private:
  /// A number of tensors that a key is made of.
  struct KeyNumber {
    ExpressionPtr expression;
    std::string column;  // of the level
  };

  bool are_conditions_plain() const {
    const auto is_plain = [&](const ExpressionPtr& condition) {
      return level_.is_plain(condition) && !is_other_each_time(condition);
    };
    const auto has_same_types = [&](const ExpressionPtr& difference) {
      const auto& operands = std::get<Operation>(difference->of).operands;
      const auto type = scalar_type_of(operands[0], select_.scope);
      return type && type == scalar_type_of(operands[1], select_.scope);
    };
    return std::all_of(factors_->conjuncts().begin(), factors_->conjuncts().end(), is_plain) &&
           std::all_of(factors_->differences().begin(), factors_->differences().end(),
                       has_same_types);
  }

  bool is_other_each_time(const ExpressionPtr& expression) const {
    return has_queries(expression) || draws(expression, compiler_.vocabulary().tensor_functions);
  }

  /// A plain expression as a column of the factor whose columns it names.
  std::optional<FactorColumn> column_of_factor(const ExpressionPtr& expression) {
    const std::optional<size_t> factor = factors_->factor_of(expression);
    if (!factor || !level_.is_plain(expression) || is_other_each_time(expression)) {
      return std::nullopt;
    }
    return FactorColumn{*factor, sqlite_text(*level_.over_table(expression))};
  }

  bool find_partition(const RankedWindow& window) {
    for (const ExpressionPtr& key : window.partition) {
      const std::optional<FactorColumn> column = column_of_factor(key);
      if (!column) {
        return false;
      }
      product_.partition.push_back(*column);
    }
    return true;
  }

  bool find_order(const RankedWindow& window) {
    for (const OrderKey& key : window.order) {
      ProductKey made{ComputedKey{nullptr}, key.is_descending, key.nulls_first};
      if (level_.is_plain(key.expression)) {
        const std::optional<FactorColumn> column = column_of_factor(key.expression);
        if (!column) {
          return false;
        }
        made.value = *column;
      } else if (is_other_each_time(key.expression) || may_fail(key.expression) ||
                 !find_numbers(key.expression)) {
        return false;
      } else {
        made.value = ComputedKey{level_.over_table(key.expression)};
      }
      product_.order.push_back(std::move(made));
    }
    return true;
  }

  /// Notes the numbers of tensors that a key is computed of; false if it is a tensor itself.
  bool find_numbers(const ExpressionPtr& key) {
    bool are_numbers = true;
    for_each(key, [&](const ExpressionPtr& part) {
      if (!are_numbers || level_.is_plain(part)) {
        return false;
      }
      const std::optional<TensorValue> value = level_.tensor_of(part);
      are_numbers = !value || value->is_number();
      if (value && are_numbers) {
        numbers_.push_back({part, sqlite_text(*level_.over_table(part))});
      }
      return !value;
    });
    return are_numbers;
  }

  /// True if the keys are made of numbers that can be computed for all rows at once.
  bool take_numbers() {
    const std::vector<Level::ComputedStage> stages = level_.take_computed();
    if (stages.size() != 1 || !stages.front().guards.empty()) {
      return false;
    }
    for (const Level::ComputedColumn& computed : stages.front().columns) {
      const auto said =
          std::find_if(numbers_.begin(), numbers_.end(),
                       [&](const KeyNumber& number) { return number.column == computed.column; });
      std::optional<std::vector<size_t>> tables =
          said == numbers_.end() ? std::nullopt : factors_->factors_of(said->expression);
      if (computed.among || !tables) {
        return false;
      }
      if (tables->empty()) {  // a number of no row is one of each row of any table
        tables->push_back(0);
      }
      product_.numbers.push_back({computed, std::move(*tables)});
    }
    compute_without_sqlite();
    return true;
  }

  /// Leaves SQLite the keys alone that are more than arithmetic on the numbers.
  void compute_without_sqlite() {
    std::vector<std::string> columns;
    for (const ProductNumber& number : product_.numbers) {
      columns.push_back(number.computed.column);
    }
    for (ProductKey& key : product_.order) {
      const auto* const computed = std::get_if<ComputedKey>(&key.value);
      std::optional<KeyArithmetic> arithmetic =
          computed == nullptr ? std::nullopt : KeyArithmetic::of(computed->expression, columns);
      if (arithmetic) {
        key.value = std::move(*arithmetic);
      }
    }
  }

  void find_differences() {
    for (const ExpressionPtr& difference : factors_->differences()) {
      const auto over_table = [&](const ExpressionPtr& part) {
        return std::holds_alternative<ColumnReference>(part->of) ? level_.over_table(part)
                                                                 : ExpressionPtr();
      };
      product_.differences.push_back(sqlite_text(*rewrite(difference, {over_table, {}, {}})));
    }
  }

  /// Makes the key table of each factor: the columns of the level that are its own, and the row
  /// numbers of its tables. False if a column is of several factors, or a table is so large that
  /// its numbers go to files.
  bool make_tables() {
    std::vector<Select> queries(factors_->factors().size());
    product_.tables.resize(queries.size());
    const KeyColumns& columns = level_.columns();
    std::string name = "c1";
    for (size_t next = 2; columns.has(name); name = fmt::format("c{}", next++)) {
      const std::optional<size_t> factor = factors_->factor_of(columns.at(name));
      if (!factor) {
        return false;
      }
      queries[*factor].targets.push_back({columns.at(name), Name{name, {}}});
      product_.tables[*factor].columns.insert(name);
    }
    for (size_t factor = 0; factor < queries.size(); ++factor) {
      product_.tables[factor].table = table_of_factor(std::move(queries[factor]), factor);
      const int64_t num_rows =
          compiler_.key_tables().num_rows(product_.tables[factor].table->table);
      product_.tables[factor].num_rows = num_rows;
      if (compiler_.program().is_written(num_rows)) {
        return false;
      }
    }
    return true;
  }

  RelationPtr table_of_factor(Select query, size_t number) {
    const FromFactor& factor = factors_->factors()[number];
    query.from = factor.items;
    for (const std::string& alias : factor.aliases) {
      query.targets.push_back({row_number_of(alias), Name{row_column(alias), {}}});
    }
    std::vector<ExpressionPtr> conditions;
    for (const ExpressionPtr& condition : factor.conditions) {
      conditions.push_back(level_.of_rows_with_nan(condition));
    }
    if (!conditions.empty()) {
      query.where = make_expression(Logical{Logical::Kind::all, std::move(conditions)});
    }
    return compiler_.shared_numbers(sqlite_text(query));
  }

  /// The row number of a table, by a name that none of its columns has.
  ExpressionPtr row_number_of(const std::string& alias) const {
    std::string name = "rowid";
    for (const Scope::Entry& entry : select_.scope.entries()) {
      const auto is_taken = [&](const RelationColumn& column) { return column.key == name; };
      for (const char* const other : {"_rowid_", "oid"}) {
        if (entry.alias == alias &&
            std::any_of(entry.relation->columns.begin(), entry.relation->columns.end(), is_taken)) {
          name = other;
        }
      }
    }
    return make_expression(ColumnReference{Name{alias, {}}, Name{name, {}}});
  }

  /// The chosen rows as a table: the row numbers of all tables, and the numbers of the keys.
  RelationPtr table_of(const ProductRows& chosen) {
    std::vector<database::LentFunction> functions;
    std::vector<RelationColumn> columns;
    std::vector<std::string> texts;
    const auto add = [&](RelationColumn column, database::LentFunction::Of of_place) {
      functions.emplace_back(compiler_.connection(), std::move(of_place));
      texts.push_back(functions.back().call("place") + " AS " + sqlite_name(column.name));
      columns.push_back(std::move(column));
    };
    int64_t num_before = 1;  // rows of the product, for each row of a factor
    for (size_t factor = product_.tables.size(); factor-- > 0;) {
      const FactorTable& table = product_.tables[factor];
      for (const std::string& alias : factors_->factors()[factor].aliases) {
        RelationColumn column{row_column(alias)};
        column.scalar = database::ScalarType::integer;
        add(std::move(column),
            [&chosen, num_before, num_rows = table.num_rows,
             numbers = compiler_.key_tables().numbers(table.table->table, row_column(alias))](
                const database::Value& place) -> database::Value {
              const int64_t row = chosen.rows[static_cast<size_t>(std::get<int64_t>(place))];
              return (*numbers)[static_cast<size_t>(row / num_before % num_rows)];
            });
      }
      num_before *= table.num_rows;
    }
    for (size_t number = 0; number < product_.numbers.size(); ++number) {
      const DType dtype = product_.numbers[number].computed.value.term.type.dtype;
      RelationColumn column{product_.numbers[number].computed.column};
      column.scalar = type_of_number(dtype);
      column.may_be_nan = is_float(dtype);
      add(std::move(column), [&chosen, number](const database::Value& place) {
        return chosen.numbers[static_cast<size_t>(std::get<int64_t>(place))][number];
      });
    }
    return compiler_.make_relation(
        fmt::format(
            "WITH RECURSIVE places(place) AS (SELECT 0 WHERE {0} > 0 UNION ALL SELECT place "
            "+ 1 FROM places WHERE place + 1 < {0}) SELECT {1} FROM places",
            chosen.rows.size(), fmt::join(texts, ", ")),
        std::move(columns));
  }

  BoundSelect select_over(const RelationPtr& chosen) const {
    BoundSelect over = select_;
    const BoundSelect table = select_from(chosen, kTopRows);
    over.scope.add(kTopRows, chosen);
    over.from = table.from;
    over.from.insert(over.from.end(), factors_->items().begin(), factors_->items().end());
    over.conjuncts = factors_->conjuncts();
    for (const FromFactor& factor : factors_->factors()) {
      for (const std::string& alias : factor.aliases) {
        // With its sign a row number is looked up, and is no column to look others up by: SQLite
        // then goes through the chosen rows in their order.
        const ExpressionPtr row =
            make_expression(Operation{"+", {column_of_chosen(row_column(alias))}});
        over.conjuncts.push_back(make_expression(Operation{"=", {row_number_of(alias), row}}));
      }
    }
    for_each_result(over, [&](ExpressionPtr& result) { result = over_chosen(result); });
    return over;
  }

  /// An expression with the numbers that were computed for the order read from the chosen rows.
  ExpressionPtr over_chosen(const ExpressionPtr& expression) const {
    const auto chosen_number = [&](const ExpressionPtr& part) -> ExpressionPtr {
      for (const KeyNumber& number : numbers_) {
        if (!level_.is_plain(part) && is_same(part, number.expression)) {
          return column_of_chosen(number.column, part->span);
        }
      }
      return nullptr;
    };
    return rewrite(expression, {chosen_number, {}, {}});
  }

  bool is_same(const ExpressionPtr& one, const ExpressionPtr& other) const {
    return one == other || identity_of(one, select_.scope) == identity_of(other, select_.scope);
  }

  const BoundSelect& select_;
  QueryCompiler& compiler_;
  RandomKeys keys_;  // those of the compiler stay as they are
  Level level_;      // of the rows of the product
  std::optional<FromFactors> factors_;
  std::vector<KeyNumber> numbers_;
  RankedProduct product_;
};

}  // namespace

std::optional<BoundSelect> with_top_rows(const BoundSelect& select, const RankedWindow& window,
                                         QueryCompiler& compiler) {
  return TopRowsSelect(select, compiler).make(window);
}

}  // namespace tessera::sql
