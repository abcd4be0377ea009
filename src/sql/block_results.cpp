#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/overload.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/block.h"
#include "sql/computed_columns.h"
#include "sql/grid_keys.h"
#include "sql/query.h"
#include "sql/row_space.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

constexpr const char* kOwnRow = "rowid - 1";  // of a tensor with a row for each of the table

}  // namespace

int64_t Block::num_rows() {
  return compiler_.key_tables().num_rows(table_->table);
}

void Block::replace_table(const std::string& targets, const std::string& clauses) {
  table_ = compiler_.shared_relation("SELECT " + targets + " FROM " + sqlite_name(table_->table) +
                                     clauses);
  grid_ = {num_rows()};
}

void Block::add_computed(Level& level, const RowStage& stage) {
  if (!stage.computed.guards.empty()) {
    std::string guards = "*";
    for (const Target& guard : stage.computed.guards) {
      guards += ", " + sqlite_text(*guard.expression) + " AS " + guard.alias->text;
    }
    const Shape grid = grid_;
    replace_table(guards, " ORDER BY rowid");
    grid_ = grid;
  }
  const std::string where = stage.condition ? " WHERE " + sqlite_text(*stage.condition) : "";
  if (!stage.computed.columns.empty()) {
    table_ = add_computed_columns(table_, grid_, level, stage.computed.columns, where, compiler_);
    grid_ = stage.condition ? Shape{num_rows()} : grid_;
  } else if (stage.condition) {
    replace_table("*", where + " ORDER BY rowid");
  }
}

void Block::make_groups() {
  const std::string keys = list_of(group_keys_);
  const std::string number =
      keys.empty() ? "0" : fmt::format("dense_rank() OVER (ORDER BY {}) - 1", keys);
  const bool are_numbered = !keys.empty() || !groups_->aggregates().empty();
  if (are_numbered) {
    const Shape grid = grid_;
    replace_table("*, " + number + " AS " + Level::kGroup, " ORDER BY rowid");
    grid_ = grid;
  }
  const int64_t num_groups =
      keys.empty() ? 1
                   : connection().integer(fmt::format("SELECT coalesce(max({}), -1) + 1 FROM {}",
                                                      Level::kGroup, sqlite_name(table_->table)));
  std::optional<Shape> grid_of_groups;
  for (const Level::TensorAggregate& aggregate : groups_->aggregates()) {
    aggregate.result->tensor = merged(aggregate, num_groups);
    grid_of_groups = grid_of_groups && *grid_of_groups != aggregate.result->tensor.grid
                         ? Shape{num_groups}
                         : aggregate.result->tensor.grid;
  }
  const std::string columns = groups_->columns().is_empty() ? "1 AS g0" : groups_->columns().text();
  const std::string by_group = keys.empty() ? "" : fmt::format(" GROUP BY {}", Level::kGroup);
  replace_table(
      fmt::format("{}, min({}) AS tessera_order", columns, are_numbered ? Level::kGroup : "0"),
      by_group + " ORDER BY tessera_order");
  if (grid_of_groups && num_elements(*grid_of_groups) == num_rows()) {
    grid_ = *grid_of_groups;
  }
  for (const RowStage& stage : stages_of(*groups_, having_)) {
    add_computed(*groups_, stage);
  }
}

TensorRows Block::merged(const Level::TensorAggregate& aggregate, int64_t num_groups) {
  const TensorValue& value = aggregate.value;
  const PlaceOfStatements place(compiler_.program(), aggregate.span);
  RowSpace space(compiler_.key_tables(), table_->table, compiler_.program(), grid_);
  space.leave_out_nulls(value.reads);
  if (space.num_rows() == 0) {  // every group's result is NULL
    return compiler_.program().add_empty(aggregate.result->tensor.element);
  }
  FreshLabels labels = *value.labels;
  const Labels row_labels = labels.of(space.grid());
  rows_.stand_on(space, row_labels);
  const Labels modes = labels.of(value.term.type.shape);
  const std::optional<RowSpace::Digits> digits = space.digits_of(Level::kGroup, num_groups);
  LeftIndices left;
  Labels bound;
  Shape grid{num_groups};
  if (digits) {
    grid = digits->extents;
    for (const size_t mode : digits->modes) {
      left.emplace_back(row_labels[mode]);
    }
    for (size_t mode = 0; mode < row_labels.size(); ++mode) {
      if (std::find(digits->modes.begin(), digits->modes.end(), mode) == digits->modes.end()) {
        bound.push_back(row_labels[mode]);
      }
    }
  } else {
    left.emplace_back(GroupIndex{space.gathered(Level::kGroup, row_labels), num_groups});
    bound = row_labels;
  }
  left.insert(left.end(), modes.begin(), modes.end());
  const auto merged_value = [&] {
    if (aggregate.function == "sum") {
      Product product = value.term.says(indices_of(modes));
      product.bound = joined(bound, product.bound);
      return value_of(product);
    }
    const Labels over = bound.empty() ? Labels{labels.of(1)} : bound;  // each group is one row
    return program::apply(aggregate.function, over, {value.term.at(modes)});
  };
  return compiler_.program().add(grid, aggregate.result->tensor.element,
                                 {std::move(left), merged_value()});
}

void Block::order_rows() {
  if (order_.empty() && !select_.limit && !select_.offset) {
    return;
  }
  if (select_.is_distinct) {
    return;  // with the results
  }
  replace_table("*", order_text("rowid"));
}

std::string Block::order_text(const std::string& default_order) {
  std::vector<std::string> keys;
  for (const OrderKey& key : order_) {
    keys.push_back(sqlite_text(*key.expression) + (key.is_descending ? " DESC" : "") +
                   (key.nulls_first ? *key.nulls_first ? " NULLS FIRST" : " NULLS LAST" : ""));
  }
  std::string text = keys.empty() ? default_order.empty() ? "" : " ORDER BY " + default_order
                                  : " ORDER BY " + list_of(keys);
  if (select_.limit || select_.offset) {
    text += " LIMIT " + (select_.limit ? sqlite_text(*select_.limit) : "-1");
  }
  return text + (select_.offset ? " OFFSET " + sqlite_text(*select_.offset) : "");
}

std::string Block::output_text(const Output& output, std::optional<TensorRows>& tensor) {
  if (output.scalar) {
    return sqlite_text(*output.scalar);
  }
  const TensorValue& value = *output.tensor;
  const PlaceOfStatements place(compiler_.program(), output.span);
  if (value.leaf) {
    tensor = value.leaf->tensor;
    return value.leaf->column;
  }
  RowSpace space(compiler_.key_tables(), table_->table, compiler_.program(), grid_);
  const bool has_nulls = space.leave_out_nulls(value.reads);
  if (space.num_rows() == 0) {  // nothing is computed, not even of no row
    tensor = compiler_.program().add_empty(value.term.type);
  } else {
    FreshLabels labels = *value.labels;
    const Labels row_labels = labels.of(space.grid());
    level().stand_on(space, row_labels);
    const Labels modes = labels.of(value.term.type.shape);
    tensor = compiler_.program().add(space.grid(), value.term.type,
                                     {left_of(joined(row_labels, modes)), value.term.at(modes)});
  }
  if (!has_nulls) {
    return kOwnRow;
  }
  std::vector<std::string> tests;
  for (const std::string& column : value.reads) {
    tests.push_back(column + " IS NOT NULL");
  }
  const std::string is_there = fmt::format("({})", fmt::join(tests, " AND "));
  return fmt::format(
      "CASE WHEN {0} THEN sum({0}) OVER (ORDER BY rowid ROWS UNBOUNDED PRECEDING) - 1 END",
      is_there);
}

std::optional<database::NumberRows> Block::rows_of_result(const std::vector<std::string>& texts) {
  const std::optional<database::NumberRows>& rows = table_->owned->rows();
  const bool is_known = std::all_of(texts.begin(), texts.end(), [&](const std::string& text) {
    return text == kOwnRow || (rows && rows_.columns().has(text));
  });
  if (select_.is_distinct || !is_known || texts.size() > database::LentTables::kMostColumns ||
      compiler_.program().is_written(num_rows())) {
    return std::nullopt;
  }
  database::NumberRows made{num_rows(), {}};
  std::vector<int64_t> own(static_cast<size_t>(made.num_rows));
  std::iota(own.begin(), own.end(), int64_t{0});
  const auto own_rows = std::make_shared<const std::vector<int64_t>>(std::move(own));
  for (const std::string& text : texts) {
    made.columns.push_back(text == kOwnRow ? own_rows
                                           : compiler_.key_tables().numbers(table_->table, text));
  }
  return made;
}

RelationPtr Block::result() {
  std::vector<RelationColumn> columns;
  std::vector<std::string> texts;
  std::vector<std::string> named;
  std::set<size_t> whole;
  for (const Output& output : outputs_) {
    RelationColumn& column = columns.emplace_back(RelationColumn{output.name});
    column.scalar = output.type;
    column.may_be_nan = output.may_be_nan;
    texts.push_back(output_text(output, column.tensor));
    if (texts.back() == kOwnRow && !select_.is_distinct) {
      whole.insert(columns.size() - 1);
    }
    named.push_back(texts.back() + " AS " + sqlite_name(output.name));
  }
  const std::string order = select_.is_distinct ? order_text("") : " ORDER BY rowid";
  const std::string query =
      fmt::format("SELECT {}{} FROM {}{}", select_.is_distinct ? "DISTINCT " : "", list_of(named),
                  sqlite_name(table_->table), order);
  if (std::optional<database::NumberRows> rows = rows_of_result(texts)) {
    return compiler_.shared_numbers(query, std::move(columns), whole, std::move(*rows));
  }
  return compiler_.shared_relation(query, std::move(columns), whole);
}

}  // namespace tessera::sql
