#include "sql/recursion_reader.h"

#include <algorithm>
#include <charconv>
#include <memory>

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
         query.with.empty() && query.from.size() == 1 &&
         (!query.where || is_of_one_row(query.where, vocabulary)) &&
         std::all_of(query.targets.begin(), query.targets.end(), [&](const Target& target) {
           return is_of_one_row(target.expression, vocabulary);
         });
}

/// The first rows of a table that a query, or one in its FROM, takes; none if it may need all.
/// `wanted` are the rows that the query around takes of this one.
std::optional<FirstRows> rows_taken(const Select& query, const std::string& table,
                                    const Vocabulary& vocabulary, std::optional<int64_t> wanted) {
  constexpr int64_t kMost = int64_t{1} << 40;
  const std::optional<int64_t> limit = query.limit ? written_number(query.limit) : wanted;
  const std::optional<int64_t> offset = query.offset ? written_number(query.offset) : 0;
  const bool is_alone = is_row_by_row(query, vocabulary) && offset;
  const std::optional<int64_t> count =
      is_alone && limit ? std::optional(std::min({*limit, wanted.value_or(kMost), kMost}) +
                                        std::min(*offset, kMost))
                        : std::nullopt;
  if (query.from.size() != 1) {
    return std::nullopt;
  }
  if (const auto* const read = std::get_if<TableReference>(&query.from[0]->of)) {
    const bool is_it = read->version.empty() && read->table.text == table;
    return is_it && count ? std::optional(FirstRows{&query, *count}) : std::nullopt;
  }
  const auto* const within = std::get_if<QueryReference>(&query.from[0]->of);
  return within == nullptr || within->is_lateral
             ? std::nullopt
             : rows_taken(*within->query, table, vocabulary, query.where ? std::nullopt : count);
}

/// Counts the places at which a query names a table.
int64_t num_reads(const SelectPtr& query, const std::string& table) {
  int64_t count = 0;
  for_each_table(query, [&](const TableReference& read, SourceSpan) {
    count += read.version.empty() && read.table.text == table ? 1 : 0;
  });
  return count;
}

/// The first rows of a recursion that the query around takes, if it alone reads it, once.
std::optional<FirstRows> rows_taken(const Select& around, const CommonTable& table,
                                    const Select& body, const Vocabulary& vocabulary) {
  const std::string& name = table.name.text;
  int64_t count = num_reads(std::make_shared<const Select>(body), name);
  for (const CommonTable& other : around.with) {
    count += other.name.text == name ? 0 : num_reads(other.query, name);
  }
  return count == 1 ? rows_taken(body, name, vocabulary, std::nullopt) : std::nullopt;
}

Select without_with(Select query) {
  query.with.clear();
  return query;
}

}  // namespace

RecursionReader::RecursionReader(const Select& around, const CommonTable& table,
                                 QueryCompiler& compiler)
    : body_(without_with(around)),
      name_(table.name.text),
      compiler_(compiler),
      taken_(rows_taken(around, table, body_, compiler.vocabulary())) {}

void RecursionReader::note(const Relation& step) {
  if (taken_) {
    num_rows_ += compiler_.key_tables().num_rows(step.table);
  }
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
