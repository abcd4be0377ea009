#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "expr/aggregate.h"
#include "frontend/sql/syntax.h"
#include "sql/nan_numbers.h"
#include "sql/random_keys.h"
#include "sql/row_reader.h"
#include "sql/scope.h"
#include "sql/tensor_function.h"
#include "sql/tensor_part.h"

namespace tessera::sql {

/// A column of tensors in a key table. What an aggregate makes gets its tensor when that is there.
struct TensorLeaf {
  TensorRows tensor;
  std::string column;  // of the key table, with row numbers
};

/// A tensor for each row of a key table, as an expression says it.
struct TensorValue {
  Term term;
  std::shared_ptr<TensorLeaf> leaf;  // where it is that column and no more
  std::vector<std::string>
      reads;  // columns of the key table; where one of them is NULL, so is the value
  std::shared_ptr<FreshLabels> labels;

  bool is_number() const { return term.type.shape.empty(); }
};

/// What registries and sessions know, for expressions.
struct Vocabulary {
  const TensorFunctionRegistry& tensor_functions;
  const expr::FunctionRegistry& functions;
  const expr::AggregateRegistry& aggregates;
};

/// The columns of a key query, each expression once.
class KeyColumns {
 public:
  explicit KeyColumns(std::string prefix) : prefix_(std::move(prefix)) {}

  /// The column of an expression.
  std::string add(const frontend::sql::ExpressionPtr& expression);
  /// The expression of a column.
  const frontend::sql::ExpressionPtr& at(const std::string& name) const {
    return expressions_.at(name);
  }
  bool has(const std::string& name) const { return expressions_.count(name) != 0; }
  /// `expression AS name, …`
  std::string text() const;
  bool is_empty() const { return names_.empty(); }

 private:
  std::string prefix_;
  std::map<std::string, std::string> names_;                         // by the expression's text
  std::map<std::string, frontend::sql::ExpressionPtr> expressions_;  // by name
  std::vector<std::string> texts_;
};

/// Expressions over the rows of a key table: which part of each SQLite computes, which are tensors.
/// There are two levels in a SELECT with groups, that of rows and that of groups; aggregates are
/// what the second has from the first.
class Level : public DrawSource {
 public:
  /// Of rows.
  Level(const Scope& scope, const Vocabulary& vocabulary, RandomKeys& keys);
  /// Of groups of another level's rows; these columns of tensors are the same in all rows of a
  /// group.
  Level(Level& rows, const Vocabulary& vocabulary, std::set<std::string> constant_in_groups);

  /// The tensor that an expression is, with modes or, where tensors make a number, without; nothing
  /// where SQLite computes it.
  std::optional<TensorValue> tensor_of(const frontend::sql::ExpressionPtr& expression);

  /// A scalar expression over the key table of this level: what SQLite computes of its columns, and
  /// of numbers that tensors make, for which it has columns as well. Errors: `user` where it is a
  /// tensor.
  frontend::sql::ExpressionPtr over_table(const frontend::sql::ExpressionPtr& expression);
  /// The same for what may not ask for anything to be computed; whether it can be so.
  bool is_plain(const frontend::sql::ExpressionPtr& expression) const {
    return !has_tensors(expression);
  }

  KeyColumns& columns() { return columns_; }
  /// True if a scalar over the key table may be NaN.
  bool may_be_nan_over_table(const frontend::sql::ExpressionPtr& expression) const;
  /// A scalar expression of the rows as SQLite computes it right of NaN too.
  frontend::sql::ExpressionPtr of_rows_with_nan(
      const frontend::sql::ExpressionPtr& expression) const;

  /// Numbers that tensors make, by the column that wants them: each row's own, or of its tensor the
  /// row number of an equal one among others, -1 where there is none.
  struct ComputedColumn {
    std::string column;
    TensorValue value;
    RelationPtr among = nullptr;  // its first column; null where numbers are wanted
    SourceSpan span = {};
  };
  /// Columns that are computed together. Guards are put beside the table before them: each is NULL
  /// where a condition over the table does not hold, by numbers of earlier stages too.
  struct ComputedStage {
    std::vector<frontend::sql::Target> guards = {};
    std::vector<ComputedColumn> columns = {};
  };
  /// Gives the stages that are not taken yet, in the order in which they are to be computed.
  std::vector<ComputedStage> take_computed();

  /// What aggregates make of tensors.
  struct TensorAggregate {
    std::string function;
    TensorValue value;  // of the rows
    std::shared_ptr<TensorLeaf> result;
    SourceSpan span = {};
  };
  const std::vector<TensorAggregate>& aggregates() const { return aggregates_; }

  /// What aggregates make of tensors over windows of the rows, in columns of the key table.
  struct WindowAggregate {
    std::string function;
    std::shared_ptr<TensorLeaf> value;
    DType dtype = DType::f64;      // that it is merged in
    std::string filter;            // a column; empty where all rows are merged
    frontend::sql::Window window;  // over columns
    std::shared_ptr<TensorLeaf> result;
  };
  const std::vector<WindowAggregate>& windows() const { return windows_; }

  /// The tensors that an expression names: a column's, a query's within it, or those that a window
  /// function picks of them; null for all else.
  const TensorRows* tensor_rows(const frontend::sql::ExpressionPtr& expression) const;

  /// The rows over which terms are said from now on, and their labels.
  void stand_on(RowReader& space, Labels row_labels);

  int64_t new_key() override {
    ++num_drawn_;
    return keys_.next();
  }
  const Labels& row_labels() const override { return row_labels_; }

  /// The column of the rows' level that has the number of a row's group.
  static constexpr const char* kGroup = "tessera_group";

 private:
  /// What is gathered while one expression is read.
  struct Reading {
    std::vector<std::string> reads;
    std::shared_ptr<FreshLabels> labels = std::make_shared<FreshLabels>();
    std::shared_ptr<TensorLeaf> last_leaf;
    bool is_part = false;      // of an expression, and not all of it
    bool is_of_tables = true;  // reads tensors of tables alone, no version, row or draw
  };

  bool has_tensors(const frontend::sql::ExpressionPtr& expression) const;
  bool look_for_tensors(const frontend::sql::ExpressionPtr& expression) const;
  bool counts_equal_rows(const frontend::sql::Call& call) const;
  bool any_tensor(const std::vector<frontend::sql::ExpressionPtr>& expressions);
  bool is_computed_here(const frontend::sql::ExpressionPtr& expression);
  bool is_tensor_column(const frontend::sql::ExpressionPtr& expression) const {
    return tensor_rows(expression) != nullptr;
  }
  bool is_window_of_tensors(const frontend::sql::Call& call) const;
  bool is_tensor_aggregate(const frontend::sql::ExpressionPtr& expression) const;
  Term term_of(const frontend::sql::ExpressionPtr& expression, Reading& reading);
  Term term_of_kind(const frontend::sql::ExpressionPtr& expression, Reading& reading);
  Term leaf_term(const std::shared_ptr<TensorLeaf>& leaf, Reading& reading);
  std::string row_number(const frontend::sql::ExpressionPtr& expression);
  Term column_term(const frontend::sql::ExpressionPtr& expression, Reading& reading);
  Term window_term(const frontend::sql::Call& node, Reading& reading);
  Term equal_elements(const Term& one, const Term& other, const std::string& shown) const;
  frontend::sql::ExpressionPtr equality(const frontend::sql::ExpressionPtr& whole,
                                        const frontend::sql::ExpressionPtr& one,
                                        const frontend::sql::ExpressionPtr& other);
  frontend::sql::ExpressionPtr membership(const frontend::sql::ExpressionPtr& whole,
                                          const frontend::sql::In& node);
  bool is_tensor(const frontend::sql::ExpressionPtr& expression);
  /// What compares whole tensors, where a truth value is wanted; null for all else.
  frontend::sql::ExpressionPtr truth_of(const frontend::sql::ExpressionPtr& expression);
  frontend::sql::ExpressionPtr truth_of_test(const frontend::sql::ExpressionPtr& whole,
                                             const frontend::sql::Test& test);
  frontend::sql::ExpressionPtr null_test(const frontend::sql::Test& test, const TensorValue& value);
  Term number_of(const frontend::sql::ExpressionPtr& expression, Reading& reading);
  Term operation_term(const frontend::sql::Operation& node, Reading& reading);
  Term logical_term(const frontend::sql::Logical& node, Reading& reading);
  Term case_term(const frontend::sql::Case& node, Reading& reading);
  /// One of several values, and what SQLite knows it to be NULL by.
  struct Choice {
    Term term;
    frontend::sql::ExpressionPtr is_null;
    std::vector<std::string> reads = {};
    bool may_fail = false;
  };
  /// Of no expression: NULL.
  Choice choice_of(const frontend::sql::ExpressionPtr& expression, Reading& reading);
  Term chosen(const std::vector<frontend::sql::ExpressionPtr>& conditions,
              const std::vector<Choice>& choices, Reading& reading);
  Term computed_where(const std::vector<std::string>& columns, const Term& term,
                      const Reading& reading);
  /// Computes an expression as `over_table` does, and its parts that may have no value only in the
  /// rows where conditions over the table hold.
  frontend::sql::ExpressionPtr over_table_where(
      const std::vector<frontend::sql::ExpressionPtr>& conditions,
      const frontend::sql::ExpressionPtr& expression);
  /// A column that is NULL in the rows where a condition over the table does not hold.
  std::string guard_column(const frontend::sql::ExpressionPtr& condition);
  ComputedStage& stage_at(size_t number);
  /// The first stage that finds a column in the table.
  size_t first_stage_with(const std::string& column) const;
  frontend::sql::ExpressionPtr guarded_choice(const frontend::sql::ExpressionPtr& expression);
  frontend::sql::ExpressionPtr guarded_case(const frontend::sql::Case& node, SourceSpan span);
  frontend::sql::ExpressionPtr guarded_coalesce(const frontend::sql::Call& node, SourceSpan span);
  std::vector<frontend::sql::ExpressionPtr> guarded_operands(const frontend::sql::Logical& node);
  MayBeNan is_nan_column() const;
  bool is_of_floats(const frontend::sql::ExpressionPtr& over_table) const;
  bool is_guarded(const frontend::sql::ExpressionPtr& expression) const;
  Term first_of(const std::vector<Choice>& choices, Reading& reading);  // that is not NULL
  Term coalesce_term(const frontend::sql::Call& node, Reading& reading);
  Term extreme_term(const frontend::sql::Call& node, Reading& reading);
  frontend::sql::ExpressionPtr key_expression(const frontend::sql::ExpressionPtr& expression);
  frontend::sql::ExpressionPtr in_key_query(const frontend::sql::ExpressionPtr& over_table) const;
  Term call_term(const frontend::sql::Call& node, Reading& reading);
  Term element_term(const frontend::sql::Element& node, Reading& reading);
  Term stored_term(const Term& term, const Reading& reading) const;
  Term computed_once(const Term& term, const frontend::sql::Expression& expression,
                     const Reading& reading);
  std::function<program::Expression(const program::Expression&)> data_index(
      const frontend::sql::ExpressionPtr& subscript, const Shape& shape, size_t mode,
      Reading& reading);
  Term cast_term(const frontend::sql::Cast& node, Reading& reading);
  Term array_term(const frontend::sql::ExpressionPtr& expression, Reading& reading);
  Term stacked_term(const frontend::sql::ArrayLiteral& array, Reading& reading);
  Term einsum_term(const frontend::sql::Call& node, Reading& reading);
  Term aggregate_term(const frontend::sql::Call& node, Reading& reading);
  frontend::sql::ExpressionPtr scalar(const frontend::sql::ExpressionPtr& expression);
  frontend::sql::ExpressionPtr unless_null(const frontend::sql::ExpressionPtr& tensor);
  frontend::sql::ExpressionPtr aggregate_over_table(const frontend::sql::Call& call,
                                                    SourceSpan span);
  std::string computed_column(const frontend::sql::ExpressionPtr& expression, TensorValue value,
                              RelationPtr among = nullptr);

  const Scope* scope_;
  Level* rows_;  // null at the level of rows
  const Vocabulary& vocabulary_;
  RandomKeys& keys_;
  KeyColumns columns_;
  std::vector<ComputedStage> stages_;
  std::map<std::string, size_t> stages_of_columns_;  // columns of stages that are not taken
  std::map<std::pair<const frontend::sql::Expression*, std::vector<std::string>>, std::string>
      computed_names_;                 // by the expression and the guards around it
  std::set<std::string> nan_columns_;  // of the key table, scalars that may be NaN
  std::vector<std::string> guards_;    // columns that are NULL where a value is not wanted
  std::map<std::string, std::string> guard_names_;  // by the expression's text
  std::set<std::string> constant_in_groups_;
  std::vector<TensorAggregate> aggregates_;  // of groups
  std::vector<WindowAggregate> windows_;
  std::map<const frontend::sql::Call*, std::shared_ptr<TensorLeaf>> aggregate_leaves_;
  // What was found of parts of expressions, as each is asked for by all that it is in.
  mutable std::map<frontend::sql::ExpressionPtr, bool> with_tensors_;
  std::map<frontend::sql::ExpressionPtr, bool> are_tensors_;
  RowReader* space_ = nullptr;
  Labels row_labels_;
  int64_t num_spaces_ = 0;  // that it stood on
  int64_t space_id_ = 0;    // of the one that it stands on
  int64_t num_drawn_ = 0;
  bool is_within_once_ = false;  // what is said now
};

/// True if an aggregate's results may be larger than what it is given.
bool is_sum(const std::string& aggregate);

/// Our name of an aggregate of SQL's.
std::string aggregate_name(const std::string& name);

/// Whether a name is that of an aggregate of SQL's or of ours.
bool is_aggregate(const std::string& name, const Vocabulary& vocabulary);

/// True if an expression is a call of an aggregate over rows or groups, not over a window. `max`
/// and `min` of several arguments are none.
bool is_aggregate_call(const frontend::sql::ExpressionPtr& expression,
                       const Vocabulary& vocabulary);

}  // namespace tessera::sql
