#include "sql/level.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/overload.h"
#include "frontend/sql/array_literal.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/scalar_types.h"
#include "sql/statement_error.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// SQLite has no words for arrays and elements.
std::string shown(const ExpressionPtr& expression) {
  try {
    return sqlite_text(*expression);
  } catch (const UnsayableError&) {
    return "this";
  }
}

/// The value of a number as it was written.
Literal literal_of(const NumberLiteral& number) {
  const char* const begin = number.text.data();
  const char* const end = begin + number.text.size();
  if (int64_t whole = 0;
      number.is_integer && std::from_chars(begin, end, whole).ec == std::errc()) {
    return whole;
  }
  double value = 0;
  TESSERA_USER_CHECK(std::from_chars(begin, end, value).ec == std::errc(),
                     "{} is out of the range of f64", number.text);
  return value;
}

[[noreturn]] void fail_tensor(const ExpressionPtr& expression, const std::string& shape) {
  throw_error(ErrorKind::user, "{} is a {}, where a number, a text or a truth value is wanted",
              shown(expression), shape);
}

}  // namespace

std::string KeyColumns::add(const ExpressionPtr& expression) {
  const std::string text = sqlite_text(*expression);
  const auto [place, is_new] = names_.emplace(text, prefix_ + std::to_string(names_.size() + 1));
  if (is_new) {
    texts_.push_back(text + " AS " + place->second);
    expressions_[place->second] = expression;
  }
  return place->second;
}

std::string KeyColumns::text() const {
  return fmt::format("{}", fmt::join(texts_, ", "));
}

Level::Level(const Scope& scope, const Vocabulary& vocabulary, RandomKeys& keys)
    : scope_(&scope), rows_(nullptr), vocabulary_(vocabulary), keys_(keys), columns_("c") {}

Level::Level(Level& rows, const Vocabulary& vocabulary, std::set<std::string> constant_in_groups)
    : scope_(rows.scope_),
      rows_(&rows),
      vocabulary_(vocabulary),
      keys_(rows.keys_),
      columns_("g"),
      constant_in_groups_(std::move(constant_in_groups)) {}

void Level::stand_on(RowReader& space, Labels row_labels) {
  space_ = &space;
  row_labels_ = std::move(row_labels);
  space_id_ = ++num_spaces_;
}

bool Level::has_tensors(const ExpressionPtr& expression) const {
  const auto known = with_tensors_.find(expression);
  return known != with_tensors_.end()
             ? known->second
             : with_tensors_.emplace(expression, look_for_tensors(expression)).first->second;
}

bool Level::look_for_tensors(const ExpressionPtr& expression) const {
  bool found = false;
  for_each(expression, [&](const ExpressionPtr& part) {
    // Whether there is a tensor is all that is asked here, and its row number tells that.
    const auto* const test = std::get_if<Test>(&part->of);
    if (test != nullptr && test->kind == Test::Kind::null && is_tensor_column(test->operand)) {
      return false;
    }
    const auto* const call = std::get_if<Call>(&part->of);
    if (call != nullptr && call->function.text == "count" &&
        (!call->is_distinct || counts_equal_rows(*call))) {
      return false;
    }
    if (call != nullptr && call->over) {
      found = found || is_window_of_tensors(*call);
      return false;
    }
    if (rows_ != nullptr && call != nullptr && call->is_distinct &&
        call->function.text == "count" && call->arguments.size() == 1 &&
        rows_->has_tensors(call->arguments[0])) {
      throw_error(ErrorKind::unsupported, "count(DISTINCT …) of tensors");
    }
    if (rows_ != nullptr && call != nullptr && !call->over &&
        is_aggregate(call->function.text, vocabulary_) && call->arguments.size() == 1) {
      found = found || is_tensor_aggregate(part);
      return false;
    }
    const TensorFunction* const function =
        call == nullptr ? nullptr : vocabulary_.tensor_functions.find(call->function.text);
    const auto* const in = std::get_if<In>(&part->of);
    found = found || (in != nullptr && in->query && scope_->sets().count(in->query) != 0) ||
            std::holds_alternative<ArrayLiteral>(part->of) || is_tensor_column(part) ||
            (function != nullptr && function->is_of_scalars);
    return !found;
  });
  return found;
}

std::optional<TensorValue> Level::tensor_of(const ExpressionPtr& expression) {
  if (!has_tensors(expression)) {
    return std::nullopt;
  }
  if (!is_computed_here(expression)) {
    return std::nullopt;
  }
  Reading reading;
  Term term = term_of(expression, reading);
  const bool is_leaf = is_tensor_column(expression) || is_tensor_aggregate(expression);
  return TensorValue{std::move(term), is_leaf ? reading.last_leaf : nullptr,
                     std::move(reading.reads), reading.labels};
}

bool Level::is_computed_here(const ExpressionPtr& expression) {
  // A scalar function or operator of numbers that tensors make is SQLite's.
  return std::visit(
      Overload{[](const Among<ColumnReference, ScalarQuery> auto&) { return true; },
               [](const ArrayLiteral&) { return true; }, [](const Element&) { return true; },
               [&](const Cast& node) {
                 return any_tensor({node.operand}) || parse_dtype(node.type.name.text).has_value();
               },
               [&](const Operation& node) { return any_tensor(node.operands); },
               [&](const Logical& node) { return any_tensor(node.operands); },
               [&](const Case& node) {
                 std::vector<ExpressionPtr> parts{node.otherwise};
                 for (const Case::Branch& branch : node.branches) {
                   parts.insert(parts.end(), {branch.condition, branch.result});
                 }
                 return any_tensor(parts);
               },
               [&](const Call& node) {
                 return is_tensor_aggregate(expression) || is_tensor_column(expression) ||
                        vocabulary_.tensor_functions.find(node.function.text) != nullptr ||
                        node.function.text == "einsum" || any_tensor(node.arguments);
               },
               [](const auto&) { return false; }},
      expression->of);
}

bool Level::any_tensor(const std::vector<ExpressionPtr>& expressions) {
  return std::any_of(expressions.begin(), expressions.end(), [&](const ExpressionPtr& expression) {
    if (!expression) {
      return false;
    }
    const auto known = are_tensors_.find(expression);
    if (known != are_tensors_.end()) {
      return known->second;
    }
    const std::optional<TensorValue> value = tensor_of(expression);
    return are_tensors_[expression] = value && !value->is_number();
  });
}

Term Level::leaf_term(const std::shared_ptr<TensorLeaf>& leaf, Reading& reading) {
  reading.reads.push_back(leaf->column);
  reading.last_leaf = leaf;
  reading.is_of_tables = reading.is_of_tables && leaf->tensor.is_of_table;
  Term term = plain_term(leaf->tensor.element, [this, leaf](const Expressions& indices) {
    return space_->read(leaf->tensor, leaf->column, row_labels_, indices);
  });
  term.takes_indices = true;
  return term;
}

Term Level::number_of(const ExpressionPtr& expression, Reading& reading) {
  if (std::holds_alternative<NullLiteral>(expression->of)) {  // and so is all that it is part of
    reading.reads.push_back(columns_.add(expression));
    return number_term(int64_t{0});
  }
  if (const auto* number = std::get_if<NumberLiteral>(&expression->of)) {
    return number_term(literal_of(*number));
  }
  if (const auto* text = std::get_if<StringLiteral>(&expression->of)) {  // an array beside a tensor
    return array_term(array_expression(parse_array(text->text), expression->span), reading);
  }
  if (const auto* truth = std::get_if<BooleanLiteral>(&expression->of)) {
    return plain_term({DType::b1, {}}, [value = truth->value](const Expressions&) {
      return program::number(value);
    });
  }
  const ExpressionPtr over = over_table(expression);
  const auto* const column = std::get_if<ColumnReference>(&over->of);
  if (column == nullptr) {
    throw_error(ErrorKind::unsupported,
                "{} as part of a tensor: give what tensors make of numbers there a column of its "
                "own, in a query within",
                sqlite_text(*expression));
  }
  const std::string& name = column->column.text;
  reading.reads.push_back(name);
  reading.is_of_tables = false;
  const std::optional<database::ScalarType> type = scalar_type_of(expression, *scope_);
  const bool is_integer =
      type == database::ScalarType::integer || type == database::ScalarType::boolean;
  Term term = plain_term({is_integer ? DType::i64 : DType::f64, {}},
                         [this, name, is_integer](const Expressions&) {
                           return is_integer ? space_->gathered(name, row_labels_)
                                             : space_->read_numbers(name, row_labels_);
                         });
  term.is_weak = true;
  return term;
}

Term Level::term_of(const ExpressionPtr& expression, Reading& reading) {
  return at(expression->span, [&] {
    const bool is_part = std::exchange(reading.is_part, true);
    const bool were_of_tables = std::exchange(reading.is_of_tables, true);
    const int64_t num_drawn = num_drawn_;
    const Term term = term_of_kind(expression, reading);
    const bool is_of_tables = reading.is_of_tables && num_drawn == num_drawn_;
    reading.is_of_tables = were_of_tables && is_of_tables;
    const bool is_call = std::holds_alternative<Call>(expression->of);
    return is_part && is_of_tables && is_call ? computed_once(term, *expression, reading) : term;
  });
}

Term Level::term_of_kind(const ExpressionPtr& expression, Reading& reading) {
  if (!is_tensor_aggregate(expression) && !has_tensors(expression)) {
    return number_of(expression, reading);
  }
  return std::visit(Overload{[&](const Among<ColumnReference, ScalarQuery> auto&) {
                               return column_term(expression, reading);
                             },
                             [&](const Operation& node) { return operation_term(node, reading); },
                             [&](const Logical& node) { return logical_term(node, reading); },
                             [&](const Case& node) { return case_term(node, reading); },
                             [&](const Call& node) {
                               return is_tensor_column(expression)
                                          ? column_term(expression, reading)
                                      : node.over ? window_term(node, reading)
                                      : is_tensor_aggregate(expression)
                                          ? aggregate_term(node, reading)
                                          : call_term(node, reading);
                             },
                             [&](const Element& node) { return element_term(node, reading); },
                             [&](const Cast& node) { return cast_term(node, reading); },
                             [&](const ArrayLiteral&) { return array_term(expression, reading); },
                             [&](const auto&) -> Term {
                               throw_error(ErrorKind::unsupported, "{} of tensors is not built",
                                           sqlite_text(*expression));
                             }},
                    expression->of);
}

ExpressionPtr Level::over_table(const ExpressionPtr& expression) {
  if (!has_tensors(expression)) {
    return scalar(expression);
  }
  if (const ExpressionPtr truth = truth_of(expression)) {
    return truth;
  }
  if (std::optional<TensorValue> value = tensor_of(expression)) {
    if (!value->is_number()) {
      at(expression->span, [&] { fail_tensor(expression, shape_text(value->term.type.shape)); });
    }
    const std::string column = computed_column(expression, std::move(*value));
    return make_expression(ColumnReference{std::nullopt, Name{column, {}}}, expression->span);
  }
  if (const ExpressionPtr choice = guarded_choice(expression)) {
    return choice;
  }
  bool is_whole = true;  // what was asked for, whose parts are looked at next
  const ExpressionPtr over = rewrite(
      expression, {[&](const ExpressionPtr& part) {
                     return std::exchange(is_whole, false) ? ExpressionPtr() : over_table(part);
                   },
                   {},
                   {}});
  return with_nan_on_top(over, is_nan_column());
}

/// Tells the columns of the key table that may be NaN.
MayBeNan Level::is_nan_column() const {
  return [this](const ExpressionPtr& leaf) {
    if (const auto* const sum = std::get_if<Call>(&leaf->of)) {
      return is_of_floats(sum->arguments.front());
    }
    const auto* const column = std::get_if<ColumnReference>(&leaf->of);
    return column != nullptr && !column->table && nan_columns_.count(column->column.text) != 0;
  };
}

/// True if a scalar over the key table may be a float.
bool Level::is_of_floats(const ExpressionPtr& over_table) const {
  const auto* const column = std::get_if<ColumnReference>(&over_table->of);
  if (column == nullptr || column->table || !columns_.has(column->column.text)) {
    return may_be_nan_over_table(over_table);
  }
  const auto type = scalar_type_of(columns_.at(column->column.text), *scope_);
  return type != database::ScalarType::integer && type != database::ScalarType::boolean;
}

bool Level::may_be_nan_over_table(const ExpressionPtr& expression) const {
  return may_be_nan(expression, is_nan_column());
}

ExpressionPtr Level::of_rows_with_nan(const ExpressionPtr& expression) const {
  return with_nan(expression,
                  [this](const ExpressionPtr& leaf) { return scope_->may_be_nan(leaf); });
}

std::string Level::computed_column(const ExpressionPtr& expression, TensorValue value,
                                   RelationPtr among) {
  const std::string name =
      fmt::format("{}x{}", rows_ == nullptr ? "c" : "g", computed_names_.size() + 1);
  const auto [place, is_new] = computed_names_.emplace(std::pair(expression.get(), guards_), name);
  if (is_new) {
    value.reads.insert(value.reads.end(), guards_.begin(), guards_.end());
    if (among == nullptr && is_float(value.term.type.dtype)) {
      nan_columns_.insert(name);
    }
    size_t stage = 0;
    for (const std::string& guard : guards_) {
      stage = std::max(stage, first_stage_with(guard));
    }
    stage_at(stage).columns.push_back({name, std::move(value), std::move(among), expression->span});
    stages_of_columns_[name] = stage + 1;
  }
  return place->second;
}

ExpressionPtr Level::scalar(const ExpressionPtr& expression) {
  const bool is_constant = std::holds_alternative<NumberLiteral>(expression->of) ||
                           std::holds_alternative<StringLiteral>(expression->of) ||
                           std::holds_alternative<NullLiteral>(expression->of) ||
                           std::holds_alternative<BooleanLiteral>(expression->of);
  if (is_constant) {
    return expression;
  }
  ExpressionPtr of_groups = expression;
  if (rows_ != nullptr) {
    // Within aggregates, and of columns beside them, everything is one of the rows.
    of_groups = rewrite(expression,
                        {[&](const ExpressionPtr& part) -> ExpressionPtr {
                           const auto* const call = std::get_if<Call>(&part->of);
                           if (call != nullptr && is_aggregate(call->function.text, vocabulary_)) {
                             return rows_->aggregate_over_table(*call, part->span);
                           }
                           const auto* const test = std::get_if<Test>(&part->of);
                           if (test != nullptr && test->kind == Test::Kind::null &&
                               rows_->is_tensor_column(test->operand)) {  // its row number tells
                             Test of_number = *test;
                             of_number.operand = make_expression(ColumnReference{
                                 std::nullopt, Name{rows_->columns_.add(test->operand), {}}});
                             return make_expression(std::move(of_number), part->span);
                           }
                           return std::holds_alternative<ColumnReference>(part->of)
                                      ? rows_->over_table(part)
                                      : ExpressionPtr();
                         },
                         {},
                         {}});
  }
  const MayBeNan leaf =
      rows_ != nullptr
          ? rows_->is_nan_column()
          : MayBeNan([this](const ExpressionPtr& part) { return scope_->may_be_nan(part); });
  const std::string column = columns_.add(with_nan(of_groups, leaf));
  if (may_be_nan(of_groups, leaf)) {
    nan_columns_.insert(column);
  }
  return make_expression(ColumnReference{std::nullopt, Name{column, {}}}, expression->span);
}

}  // namespace tessera::sql
