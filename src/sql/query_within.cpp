#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/overload.h"
#include "database/sql_error.h"
#include "frontend/sql/array_literal.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/asking_cases.h"
#include "sql/checked_casts.h"
#include "sql/date_arithmetic.h"
#include "sql/float_arithmetic.h"
#include "sql/joined_names.h"
#include "sql/literal_types.h"
#include "sql/membership.h"
#include "sql/query.h"
#include "sql/recursion.h"
#include "sql/renamed_columns.h"
#include "sql/star_columns.h"
#include "sql/statement_error.h"
#include "sql/tensor_building.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

bool QueryCompiler::is_of_tensors(const std::string& function) const {
  const TensorFunction* const known = vocabulary_.tensor_functions.find(function);
  return function == "einsum" || builds_tensors(function) ||
         (known != nullptr && known->is_of_scalars);
}

namespace {

/// A column, of which SQLite has a row number or NULL, or all of a row.
bool is_name(const ExpressionPtr& expression) {
  return std::holds_alternative<ColumnReference>(expression->of) ||
         std::holds_alternative<Star>(expression->of);
}

/// True if rows are counted by whether a column is NULL, which SQLite tells of a tensor too.
bool is_count_of_name(const Call& call) {
  return call.function.text == "count" && !call.is_distinct && call.arguments.size() == 1 &&
         is_name(call.arguments.front());
}

/// Visits the window and the condition of a count, which may compare or compute tensors.
template <class Visit>
void for_each_around_count(const Call& call, const Visit& visit) {
  if (call.filter) {
    visit(call.filter);
  }
  if (call.over) {
    std::for_each(call.over->partition.begin(), call.over->partition.end(), visit);
    for (const OrderKey& key : call.over->order) {
      visit(key.expression);
    }
  }
}

}  // namespace

bool QueryCompiler::uses_tensors(const SelectPtr& query, std::set<std::string> tensors_around) {
  // Names that WITH defines are tables of the query; what they hold is looked at as a query of its
  // own.
  common_.push_back(defined_by(*query));
  std::set<std::string> names = std::move(tensors_around);
  const Scope scope = scope_of(*query);
  for (const Scope::Entry& entry : scope.entries()) {
    for (const RelationColumn& column : entry.relation->columns) {
      if (column.tensor) {
        names.insert(column.key);
        names.insert("*");
      }
    }
  }
  // SQLite lacks INTERSECT ALL, EXCEPT ALL and some recursions, so these are computed here too.
  bool uses = std::any_of(query->with.begin(), query->with.end(), [&](const CommonTable& table) {
    return query->is_recursive && recurs_beyond_sqlite(table);
  });
  uses = uses || (query->is_all && (query->operation == Select::SetOperation::intersect ||
                                    query->operation == Select::SetOperation::except));
  Rewrites rewrites;
  rewrites.select = [&](const SelectPtr& inner) {
    uses = uses || uses_tensors(inner, names);
    return inner;
  };
  rewrites.expression = [&](const ExpressionPtr& expression) {
    const auto* const call = std::get_if<Call>(&expression->of);
    const auto* const column = std::get_if<ColumnReference>(&expression->of);
    if (call != nullptr && is_count_of_name(*call)) {
      for_each_around_count(*call, [&](const ExpressionPtr& part) { rewrite(part, rewrites); });
      return expression;
    }
    uses = uses || std::holds_alternative<ArrayLiteral>(expression->of) ||
           (call != nullptr && is_of_tensors(call->function.text)) ||
           (column != nullptr && names.count(column->column.text) != 0) ||
           (std::holds_alternative<Star>(expression->of) && names.count("*") != 0);
    return ExpressionPtr();
  };
  rewrites.from = [&](const FromItemPtr& item) {
    const auto* const join = std::get_if<JoinReference>(&item->of);
    uses = uses || (join != nullptr && join->is_natural && names.count("*") != 0) ||
           (join != nullptr &&
            std::any_of(join->using_columns.begin(), join->using_columns.end(),
                        [&](const Name& name) { return names.count(name.text) != 0; }));
    return FromItemPtr();
  };
  rewrite(query, rewrites);
  common_.pop_back();
  return uses;
}

namespace {

/// A tensor has no place in a query whose rows are only looked at, but to be counted, or to be
/// NULL.
void refuse_tensors(const SelectPtr& query, const Scope& own, const Scope& around) {
  Rewrites rewrites;
  rewrites.expression = [&](const ExpressionPtr& expression) -> ExpressionPtr {
    const auto* const call = std::get_if<Call>(&expression->of);
    const auto* const test = std::get_if<Test>(&expression->of);
    const auto* const column = std::get_if<ColumnReference>(&expression->of);
    if (call != nullptr && is_count_of_name(*call)) {
      for_each_around_count(*call, [&](const ExpressionPtr& part) { rewrite(part, rewrites); });
      return expression;
    }
    if (test != nullptr && test->kind == Test::Kind::null) {
      return expression;
    }
    const bool is_tensor =
        column != nullptr &&
        (own.find_tensor(*column) != nullptr ||
         (!own.has_column(column->column.text) && around.find_tensor(*column) != nullptr));
    if (is_tensor) {
      throw_error(ErrorKind::unsupported,
                  "column {} of tensors within a query that is part of an expression; join its "
                  "table instead",
                  column->column.text);
    }
    return nullptr;
  };
  rewrites.from = [](const FromItemPtr& item) { return item; };
  rewrite(query, rewrites);
}

}  // namespace

namespace {

/// True for a NULL, a cast of one to a type of tensors, and a function of tensors of one.
bool is_null_tensor(const ExpressionPtr& expression, const TensorFunctionRegistry& functions) {
  return std::visit(
      Overload{[](const NullLiteral&) { return true; },
               [&](const Cast& node) {
                 return is_array_type(node.type) && is_null_tensor(node.operand, functions);
               },
               [&](const Call& node) {
                 const TensorFunction* const known = functions.find(node.function.text);
                 return known != nullptr && !known->is_of_scalars &&
                        std::any_of(
                            node.arguments.begin(), node.arguments.end(),
                            [&](const auto& one) { return is_null_tensor(one, functions); });
               },
               [](const auto&) { return false; }},
      expression->of);
}

/// The value of a query over scalars, said so that what is computed of it knows that it may be NaN.
ExpressionPtr as_float(const ExpressionPtr& value) {
  return make_expression(Call{Name{"nan_float", {}}, {value}}, value->span);
}

/// NULL where an expression is that whatever its type; null for all else.
ExpressionPtr null_of(const ExpressionPtr& expression, const TensorFunctionRegistry& functions) {
  const bool is_plain = std::holds_alternative<NullLiteral>(expression->of);
  return !is_plain && is_null_tensor(expression, functions)
             ? make_expression(NullLiteral{}, expression->span)
             : nullptr;
}

/// The query as SQLite means it: with what `*` stands for written out where columns are joined, and
/// with tables in the conditions of joins.
SelectPtr in_meaning_of_sqlite(const SelectPtr& query, const Scope& own) {
  Select other = *query;
  other.from = with_tables_in_conditions(query->from, own);
  if (!has_joined_columns(query->from) || !knows_columns(query->from, own)) {
    return std::make_shared<const Select>(std::move(other));
  }
  other.targets.clear();
  for (const Target& target : query->targets) {
    const auto* const star = std::get_if<Star>(&target.expression->of);
    const std::vector<Target> meant = star != nullptr && !star->table
                                          ? columns_of_star(query->from, own)
                                          : std::vector<Target>{target};
    other.targets.insert(other.targets.end(), meant.begin(), meant.end());
  }
  return std::make_shared<const Select>(std::move(other));
}

}  // namespace

namespace {

/// Returns an expression that SQLite would compute otherwise than PostgreSQL, as it has other
/// types. Null for all other expressions.
ExpressionPtr with_meaning_of_types(const ExpressionPtr& expression, const Scope& scope,
                                    const TypeOfValue& type_of_value,
                                    const PreparesOperand& prepared) {
  for (const auto& meaning : {with_date_arithmetic, with_checked_cast, with_float_arithmetic}) {
    if (ExpressionPtr other = meaning(expression, scope, type_of_value, prepared)) {
      return other;
    }
  }
  return nullptr;
}

/// A scope whose columns queries within may name, while they are compiled.
class KnownScope {
 public:
  KnownScope(std::vector<const Scope*>& scopes, const Scope& scope) : scopes_(scopes) {
    scopes_.push_back(&scope);
  }
  KnownScope(const KnownScope&) = delete;
  KnownScope& operator=(const KnownScope&) = delete;
  ~KnownScope() { scopes_.pop_back(); }

 private:
  std::vector<const Scope*>& scopes_;
};

}  // namespace

SelectPtr QueryCompiler::prepared_scalar(const SelectPtr& query, const Scope& around) {
  const KnownScope known(scopes_around_, around);
  return prepared_typed(with_column_types(query), around);
}

SelectPtr QueryCompiler::prepared_typed(const SelectPtr& query, const Scope& around) {
  common_.push_back(defined_by(*query));
  const Scope own = scope_of(*query);
  const KnownScope known(scopes_around_, own);
  refuse_tensors(query, own, around);
  const TypeOfValue type_of_value = [this](const SelectPtr& inner) {
    return this->type_of_value(inner);
  };
  Rewrites rewrites;
  rewrites.expression = [&](const ExpressionPtr& part) {
    if (const ExpressionPtr null = null_of(part, vocabulary_.tensor_functions)) {
      return null;
    }
    if (const ExpressionPtr typed = with_literal_types(part, own, type_of_value)) {
      return rewrite(typed, rewrites);
    }
    const auto* const value = std::get_if<ScalarQuery>(&part->of);
    if (value != nullptr && gives_nan(*value->query)) {
      return as_float(make_expression(ScalarQuery{prepared_scalar(value->query, own)}, part->span));
    }
    return with_meaning_of_types(part, own, type_of_value,
                                 [&](const ExpressionPtr& one) { return rewrite(one, rewrites); });
  };
  rewrites.select = [&](const SelectPtr& inner) {
    const bool is_combined = inner == query->left || inner == query->right;
    return is_combined ? prepared_typed(inner, own) : prepared_scalar(inner, own);
  };
  rewrites.from = [&](const FromItemPtr& item) -> FromItemPtr {
    const auto* const table = std::get_if<TableReference>(&item->of);
    if (table == nullptr) {
      const FromItemPtr named = with_all_names(item, own);
      return named ? rewrite(named, rewrites) : nullptr;
    }
    const RelationPtr relation = find_table(*table, item->span);
    FromItem other = with_all_names(*item, relation->columns);
    other.of = TableReference{Name{relation->table, {}}, {}, false};
    if (!other.alias) {
      other.alias = table->table;
    }
    return std::make_shared<const FromItem>(std::move(other));
  };
  const SelectPtr other = rewrite(in_meaning_of_sqlite(query, own), rewrites);
  common_.pop_back();
  const MayBeNan leaf = [&](const ExpressionPtr& part) { return own.may_be_nan(part); };
  return rewrite(other, {[&](const ExpressionPtr& part) { return with_nan(part, leaf); }, {}, {}});
}

SelectPtr QueryCompiler::prepared_within(const SelectPtr& query, bool is_one_row, Scope& scope) {
  const OuterColumns outer = outer_columns(query, scope);
  const bool asks_with_tensors = std::any_of(
      outer.columns.begin(), outer.columns.end(),
      [&](const ExpressionPtr& column) { return scope.find_tensor(column) != nullptr; });
  if (!uses_tensors(query, {}) && !asks_with_tensors) {
    return prepared_scalar(query, scope);
  }
  if (outer.are_in_from) {
    throw_error(ErrorKind::unsupported,
                "a query in FROM about tensors that names columns of the query around; name them "
                "in WHERE of the query that it is in");
  }
  if (!outer.columns.empty()) {
    return prepared_correlated(outer, is_one_row, scope);
  }
  const RelationPtr rows = compile(query);
  const int64_t num_rows = connection().integer("SELECT count(*) FROM " + sqlite_name(rows->table));
  if (is_one_row && num_rows > 1) {
    throw database::SqlError(
        database::SqlState::cardinality_violation,
        Error(ErrorKind::user,
              fmt::format("a query that stands for a value gives {} rows", num_rows)));
  }
  Select read;
  for (const RelationColumn& column : rows->columns) {
    read.targets.push_back(
        {make_expression(ColumnReference{std::nullopt, Name{column.key, {}}}), std::nullopt});
  }
  FromItem item{TableReference{Name{rows->table, {}}, {}, false}, std::nullopt, {}, query->span};
  read.from.push_back(std::make_shared<const FromItem>(std::move(item)));
  auto made = std::make_shared<const Select>(std::move(read));
  scope.add_query(made, rows);
  return made;
}

namespace {

/// A query that names columns of the one around has no row where it finds none, and counts none.
ExpressionPtr with_count_of_nothing(const ExpressionPtr& value, const Select& query,
                                    const Vocabulary& vocabulary) {
  if (!is_plain_aggregate(query, vocabulary) ||
      std::get<Call>(query.targets.front().expression->of).function.text != "count") {
    return value;
  }
  return make_expression(
      Call{Name{"coalesce", {}}, {value, make_expression(NumberLiteral{"0", true})}}, value->span);
}

}  // namespace

ExpressionPtr QueryCompiler::prepared_in(const In& in, SourceSpan span, Scope& scope) {
  In other = in;
  other.operand = prepared(in.operand, scope);
  other.query = prepared_within(in.query, false, scope);
  const RelationPtr rows = scope.find_query(other.query);
  if (rows && rows->columns.front().tensor) {
    other.query = members_of(other.query, *rows, scope, *this);
  }
  return make_expression(std::move(other), span);
}

ExpressionPtr QueryCompiler::prepared(const ExpressionPtr& expression, Scope& scope) {
  if (!expression) {
    return nullptr;
  }
  const KnownScope known(scopes_around_, scope);
  const TypeOfValue type_of_value = [this](const SelectPtr& inner) {
    return this->type_of_value(inner);
  };
  Rewrites rewrites;
  rewrites.expression = [&](const ExpressionPtr& part) -> ExpressionPtr {
    if (const auto* column = std::get_if<ColumnReference>(&part->of)) {
      return scope.find_defined(*column);
    }
    if (const ExpressionPtr null = null_of(part, vocabulary_.tensor_functions)) {
      return null;
    }
    if (const ExpressionPtr typed = with_literal_types(part, scope, type_of_value)) {
      return rewrite(typed, rewrites);
    }
    if (const auto* in = std::get_if<In>(&part->of); in != nullptr && in->query) {
      return prepared_in(*in, part->span, scope);
    }
    if (const auto* node = std::get_if<Case>(&part->of);
        node != nullptr && asks_in_results(*node)) {
      return prepared_case(*node, part->span, scope);
    }
    const auto* const query = std::get_if<ScalarQuery>(&part->of);
    if (query == nullptr) {
      return with_meaning_of_types(part, scope, type_of_value, [&](const ExpressionPtr& one) {
        return rewrite(one, rewrites);
      });
    }
    return at(part->span, [&] {
      const SelectPtr made = prepared_within(query->query, true, scope);
      const ExpressionPtr value = make_expression(ScalarQuery{made}, part->span);
      return scope.find_query(made) && made->where
                 ? with_count_of_nothing(value, *query->query, vocabulary_)
             : !scope.find_query(made) && gives_nan(*query->query) ? as_float(value)
                                                                   : value;
    });
  };
  rewrites.select = [&](const SelectPtr& inner) { return prepared_within(inner, false, scope); };
  return rewrite(expression, rewrites);
}

}  // namespace tessera::sql
