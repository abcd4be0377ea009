#include "sql/recursion_reader.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <set>
#include <utility>

#include "frontend/sql/rewrite.h"
#include "sql/level.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// The number that is written out; none where it is computed.
std::optional<int64_t> written_number(const ExpressionPtr& expression) {
  const auto* const number = expression ? std::get_if<NumberLiteral>(&expression->of) : nullptr;
  int64_t value = 0;
  if (number == nullptr || !number->is_integer) {
    return std::nullopt;
  }
  const char* const end = number->text.data() + number->text.size();
  const auto read = std::from_chars(number->text.data(), end, value);
  return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

/// True if an expression gives a row for each row, whatever other rows there are.
bool is_of_one_row(const ExpressionPtr& expression, const Vocabulary& vocabulary) {
  bool is_alone = true;
  Rewrites rewrites;
  rewrites.expression = [&](const ExpressionPtr& part) -> ExpressionPtr {
    const auto* const call = std::get_if<Call>(&part->of);
    const auto* const in = std::get_if<In>(&part->of);
    is_alone = is_alone && (in == nullptr || !in->query) &&
               !std::holds_alternative<ScalarQuery>(part->of) &&
               !std::holds_alternative<Exists>(part->of) &&
               (call == nullptr || (!call->over && call->function.text != "unnest" &&
                                    !is_aggregate(call->function.text, vocabulary) &&
                                    call->function.text != "array_agg"));
    return nullptr;
  };
  rewrite(expression, rewrites);
  return is_alone;
}

/// True if a query gives rows of what it reads one by one, in their order.
bool is_row_by_row(const Select& query, const Vocabulary& vocabulary) {
  return query.operation == Select::SetOperation::none && query.values.empty() &&
         query.group_by.empty() && !query.having && query.order.empty() && !query.is_distinct &&
         query.with.empty() && (!query.where || is_of_one_row(query.where, vocabulary)) &&
         std::all_of(query.targets.begin(), query.targets.end(), [&](const Target& target) {
           return is_of_one_row(target.expression, vocabulary);
         });
}

bool has_conditions(const FromItemPtr& item) {
  const auto* const join = std::get_if<JoinReference>(&item->of);
  return join != nullptr && (join->condition || join->is_natural || !join->using_columns.empty() ||
                             has_conditions(join->left) || has_conditions(join->right));
}

/// True if not all rows of what a query joins are rows of it.
bool has_conditions(const Select& query) {
  return query.where || std::any_of(query.from.begin(), query.from.end(),
                                    [](const FromItemPtr& item) { return has_conditions(item); });
}

/// Returns how many input rows a query needs for its first `wanted` rows, if it reads them one by
/// one; nothing if it may need all.
std::optional<int64_t> num_needed(const Select& query, std::optional<int64_t> wanted) {
  constexpr int64_t kMost = int64_t{1} << 40;
  const std::optional<int64_t> limit = query.limit ? written_number(query.limit) : wanted;
  const std::optional<int64_t> offset = query.offset ? written_number(query.offset) : 0;
  return limit && offset ? std::optional(std::min({*limit, wanted.value_or(kMost), kMost}) +
                                         std::min(*offset, kMost))
                         : std::nullopt;
}

/// Counts the places at which a query names a table.
int64_t num_reads(const SelectPtr& query, const std::string& table) {
  int64_t count = 0;
  for_each_table(query, [&](const TableReference& read, SourceSpan) {
    count += read.version.empty() && read.table.text == table ? 1 : 0;
  });
  return count;
}

/// Looks for the query that reads a table, wherever it stands in another.
class ReaderSearch {
 public:
  /// `columns` are the table's, as far as they are known.
  ReaderSearch(std::string table, std::set<std::string> columns, const Vocabulary& vocabulary)
      : table_(std::move(table)), columns_(std::move(columns)), vocabulary_(vocabulary) {}

  /// The first rows that the query found last takes; none if it may need all.
  const std::optional<FirstRows>& found() const { return found_; }

  /// Looks in a query, of which the first rows are wanted, or all.
  void look(const Select& query, std::optional<int64_t> wanted, bool is_in_expression) {
    if (query.operation != Select::SetOperation::none) {
      const bool is_chained = query.operation == Select::SetOperation::union_ && query.is_all &&
                              query.order.empty() && query.with.empty();
      const std::optional<int64_t> count = is_chained ? num_needed(query, wanted) : std::nullopt;
      look(*query.left, count, is_in_expression);
      look(*query.right, count, is_in_expression);
      return;
    }
    for (const CommonTable& other : query.with) {
      look(*other.query, std::nullopt, is_in_expression);
    }
    std::optional<int64_t> count =
        is_row_by_row(query, vocabulary_) ? num_needed(query, wanted) : std::nullopt;
    for (const FromItemPtr& item : query.from) {
      look_at(item, query, count, is_in_expression);
      count = std::nullopt;  // rows of the first table come in their order
    }
    look_in_expressions(query);
  }

 private:
  void look_at(const FromItemPtr& item, const Select& query, std::optional<int64_t> count,
               bool is_in_expression) {
    if (const auto* const join = std::get_if<JoinReference>(&item->of)) {
      const bool keeps_order =
          join->kind != JoinReference::Kind::right && join->kind != JoinReference::Kind::full;
      look_at(join->left, query, keeps_order ? count : std::nullopt, is_in_expression);
      look_at(join->right, query, std::nullopt, is_in_expression);
    } else if (const auto* const within = std::get_if<QueryReference>(&item->of)) {
      const bool takes_all = within->is_lateral || has_conditions(query);
      look(*within->query, takes_all ? std::nullopt : count, is_in_expression);
    } else if (const auto* const read = std::get_if<TableReference>(&item->of);
               read != nullptr && read->version.empty() && read->table.text == table_) {
      const bool can_be_tried =
          !has_conditions(query) || (query.from.size() == 1 && query.from.front() == item &&
                                     (!is_in_expression || names_own_columns(query.where, *item)));
      found_ = count && can_be_tried ? std::optional(FirstRows{&query, *count}) : std::nullopt;
    }
  }

  void look_in_expressions(const Select& query) {
    Select clauses = query;
    clauses.with.clear();
    clauses.from.clear();
    Rewrites rewrites;
    rewrites.expression = [&](const ExpressionPtr& part) -> ExpressionPtr {
      const auto* const exists = std::get_if<Exists>(&part->of);
      if (exists == nullptr) {
        return nullptr;
      }
      look(*exists->query, 1, true);
      return part;
    };
    rewrites.select = [&](const SelectPtr& inner) {
      look(*inner, std::nullopt, true);
      return inner;
    };
    rewrite(std::make_shared<const Select>(std::move(clauses)), rewrites);
  }

  /// True if a condition names columns of the table, and surely none of a query around.
  bool names_own_columns(const ExpressionPtr& condition, const FromItem& item) const {
    const std::string& name = item.alias ? item.alias->text : table_;
    bool are_own = item.column_aliases.empty();
    for_each(condition, [&](const ExpressionPtr& part) {
      const auto* const column = std::get_if<ColumnReference>(&part->of);
      are_own = are_own && (column == nullptr || (columns_.count(column->column.text) != 0 &&
                                                  (!column->table || column->table->text == name)));
      return are_own;
    });
    return are_own;
  }

  std::string table_;
  std::set<std::string> columns_;
  const Vocabulary& vocabulary_;
  std::optional<FirstRows> found_;
};

/// The names of a recursion's columns; none where they are not written.
std::set<std::string> columns_of(const CommonTable& table) {
  std::set<std::string> names;
  for (const Name& name : table.columns) {
    names.insert(name.text);
  }
  const SelectPtr& first = table.query->left ? table.query->left : table.query;
  for (const Target& target : first->targets) {
    if (table.columns.empty() && !std::holds_alternative<Star>(target.expression->of)) {
      names.insert(name_of(target));
    }
  }
  return names;
}

/// The first rows of a recursion, or of another table of WITH, that the query around takes, if it
/// alone reads them, once. `body` is that query without WITH.
std::optional<FirstRows> rows_taken(const Select& around, const std::string& table,
                                    const std::set<std::string>& columns, const Select& body,
                                    const Vocabulary& vocabulary) {
  int64_t count = num_reads(std::make_shared<const Select>(body), table);
  const CommonTable* reader = nullptr;
  for (const CommonTable& other : around.with) {
    const int64_t num_of_other = other.name.text == table ? 0 : num_reads(other.query, table);
    count += num_of_other;
    reader = num_of_other != 0 ? &other : reader;
  }
  if (count != 1) {
    return std::nullopt;
  }
  ReaderSearch search(table, columns, vocabulary);
  if (reader == nullptr) {
    search.look(body, std::nullopt, false);
    return search.found();
  }
  if (num_reads(reader->query, reader->name.text) != 0) {  // it is a recursion itself
    return std::nullopt;
  }
  const std::optional<FirstRows> of_reader =
      rows_taken(around, reader->name.text, {}, body, vocabulary);
  search.look(*reader->query,
              of_reader && !has_conditions(*of_reader->query) ? std::optional(of_reader->count)
                                                              : std::nullopt,
              false);
  return search.found();
}

Select without_with(Select query) {
  query.with.clear();
  return query;
}

}  // namespace

void QueryCompiler::define_first_rows_of_views(const Select& query) {
  std::set<std::string> names;
  for_each_table(std::make_shared<const Select>(query),
                 [&](const TableReference& table, SourceSpan) {
                   if (table.version.empty()) {
                     names.insert(table.table.text);
                   }
                 });
  const Select body = without_with(query);
  for (const std::string& name : names) {
    const bool is_defined =
        std::any_of(common_.begin(), common_.end(),
                    [&](const CommonTables& tables) { return tables.count(name) != 0; });
    const std::optional<FirstRows> taken =
        is_defined ? std::nullopt : rows_taken(query, name, {}, body, vocabulary_);
    if (taken && !has_conditions(*taken->query)) {
      if (RelationPtr rows = finder_.find_first_rows(name, taken->count)) {
        define(name, std::move(rows));
      }
    }
  }
}

void QueryCompiler::check(const SelectPtr& query) {
  Select first = *query;
  if (!first.limit) {  // SQLite makes the rows of a recursion when they are asked for
    first.limit = make_expression(NumberLiteral{"1", true});
  }
  is_checking_ = true;
  compile(std::make_shared<const Select>(std::move(first)));
  is_checking_ = false;
}

RecursionReader::RecursionReader(const Select& around, const CommonTable& table,
                                 QueryCompiler& compiler)
    : body_(without_with(around)),
      name_(table.name.text),
      compiler_(compiler),
      taken_(rows_taken(around, table.name.text, columns_of(table), body_, compiler.vocabulary())) {
}

void RecursionReader::note(const Relation& step) {
  if (taken_) {
    num_rows_ += compiler_.key_tables().num_rows(step.table);
  }
}

std::optional<int64_t> RecursionReader::num_enough() const {
  return taken_ && !has_conditions(*taken_->query) ? std::optional(taken_->count) : std::nullopt;
}

bool RecursionReader::has_enough(const RecursionParts& parts) {
  if (!taken_ || num_rows_ < taken_->count) {
    return false;
  }
  if (!taken_->query->where) {
    return true;
  }
  // A condition is tried when there are twice as many rows as before, so that all trials together
  // cost twice the last one at most.
  if (num_rows_ < 2 * num_tried_) {
    return false;
  }
  num_tried_ = num_rows_;
  compiler_.define(name_, parts.all());
  Select passing = *taken_->query;
  passing.targets = {{make_expression(NumberLiteral{"1", true}), std::nullopt}};
  passing.limit = nullptr;
  passing.offset = nullptr;
  const RelationPtr found = compiler_.compile(std::make_shared<const Select>(std::move(passing)));
  return compiler_.key_tables().num_rows(found->table) >= taken_->count;
}

}  // namespace tessera::sql
