#include "sql/window_aggregates.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/ranges.h>

#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/joined_columns.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

ExpressionPtr plain_column(const std::string& name) {
  return make_expression(ColumnReference{std::nullopt, Name{name, {}}});
}

OrderKey by_row() {
  return {plain_column("rowid"), false, std::nullopt};
}

std::string over_text(const std::string& function, const ExpressionPtr& argument,
                      const Window& window) {
  Call call{Name{function, {}}, {argument}};
  call.over = std::make_shared<const Window>(window);
  return sqlite_text(*make_expression(std::move(call)));
}

/// From one place of the order to another; no place where the frame has no row.
struct Frame {
  int64_t row;  // of the table, from 1
  int64_t low, high;
};

/// One aggregate over the windows of a table's rows.
class WindowMerge {
 public:
  WindowMerge(const RelationPtr& table, const Level::WindowAggregate& aggregate,
              QueryCompiler& compiler)
      : aggregate_(aggregate), compiler_(compiler) {
    put_in_order(table);
    find_frames();
  }

  /// The result, and its numbers by the rows of the table.
  JoinedColumn merge() {
    JoinedColumn numbers{{aggregate_.result->column}, "rowid", {}, {}};
    const bool is_forward = all_frames([&](const Frame& frame) {
      return frame.low == 0 || partition(frame.low - 1) != partition(frame.low);
    });
    const auto last = static_cast<int64_t>(partitions_.size()) - 1;
    const bool is_backward = all_frames([&](const Frame& frame) {
      return frame.high == last || partition(frame.high + 1) != partition(frame.high);
    });
    std::map<std::pair<int64_t, int64_t>, int64_t> groups;
    for (const Frame& frame : frames_) {
      const auto number = static_cast<int64_t>(groups.size());
      const int64_t group = groups.emplace(std::pair(frame.low, frame.high), number).first->second;
      numbers.keys.push_back(frame.row);
      numbers.numbers.push_back(is_forward ? frame.high : is_backward ? frame.low : group);
    }
    aggregate_.result->tensor = frames_.empty() ? compiler_.program().add_empty(element())
                                : is_forward    ? scanned("")
                                : is_backward   ? scanned(" reverse")
                                                : grouped(groups);
    return numbers;
  }

 private:
  const ArrayType& element() const { return aggregate_.result->tensor.element; }
  int64_t partition(int64_t place) const { return partitions_[static_cast<size_t>(place)]; }

  template <class Holds>
  bool all_frames(const Holds& holds) const {
    return std::all_of(frames_.begin(), frames_.end(), holds);
  }

  /// Numbers the rows that have a tensor to be merged, partition by partition.
  void put_in_order(const RelationPtr& table) {
    ExpressionPtr is_merged = make_expression(
        Test{Test::Kind::null, true, plain_column(aggregate_.value->column), nullptr});
    if (!aggregate_.filter.empty()) {
      is_merged = make_expression(
          Logical{Logical::Kind::all,
                  {is_merged, make_expression(Test{Test::Kind::true_, false,
                                                   plain_column(aggregate_.filter), nullptr})}});
    }
    Window order;
    std::string partition;
    for (const ExpressionPtr& key : aggregate_.window.partition) {
      order.order.push_back({key, false, std::nullopt});
      partition += (partition.empty() ? "" : ", ") + sqlite_text(*key);
    }
    order.order.insert(order.order.end(), aggregate_.window.order.begin(),
                       aggregate_.window.order.end());
    order.order.push_back(by_row());
    using Bound = FrameBound::Kind;
    order.frame = WindowFrame{WindowFrame::Unit::rows,
                              {Bound::unbounded_preceding, nullptr},
                              {Bound::current_row, nullptr}};
    ordered_ = compiler_.make_relation(fmt::format(
        "SELECT *, CASE WHEN {0} THEN {1} - 1 END AS window_place, {2} AS window_partition FROM "
        "{3} ORDER BY rowid",
        sqlite_text(*is_merged), over_text("sum", is_merged, order),
        partition.empty() ? "0" : fmt::format("dense_rank() OVER (ORDER BY {})", partition),
        sqlite_name(table->table)));
    merged_ = compiler_.make_relation(
        fmt::format("SELECT {} AS value, window_partition FROM {} WHERE window_place IS NOT NULL "
                    "ORDER BY window_place",
                    aggregate_.value->column, sqlite_name(ordered_->table)));
    partitions_ = compiler_.connection().integers("SELECT window_partition FROM " +
                                                  sqlite_name(merged_->table) + " ORDER BY rowid");
  }

  void find_frames() {
    Window window = aggregate_.window;
    if (window.frame && window.frame->unit == WindowFrame::Unit::rows) {
      window.order.push_back(by_row());  // rows with equal keys have one order
    }
    const ExpressionPtr place = plain_column("window_place");
    database::Statement ends = compiler_.connection().prepare(
        fmt::format("SELECT rowid, {}, {} FROM {} ORDER BY rowid", over_text("min", place, window),
                    over_text("max", place, window), sqlite_name(ordered_->table)));
    while (ends.step()) {
      if (!ends.is_null(1)) {
        frames_.push_back({ends.integer(0), ends.integer(1), ends.integer(2)});
      }
    }
  }

  /// The tensors that are merged, in their order.
  TensorRows in_order() {
    const TensorRows& tensor = aggregate_.value->tensor;
    const Shape grid{static_cast<int64_t>(partitions_.size())};
    RowSpace space(compiler_.key_tables(), merged_->table, compiler_.program(), grid);
    FreshLabels labels;
    Labels left = labels.of(grid);
    const Labels rows = left;
    const Labels modes = labels.of(tensor.element.shape);
    left.insert(left.end(), modes.begin(), modes.end());
    const std::string text = space.read(tensor, "value", rows, modes);
    const bool is_converted = aggregate_.dtype != tensor.element.dtype;
    return compiler_.program().add(
        grid, {aggregate_.dtype, tensor.element.shape}, left,
        is_converted ? fmt::format("{}({})", name_of(aggregate_.dtype), text) : text, labels);
  }

  TensorRows scanned(const std::string& direction) {
    const TensorRows rows = in_order();
    FreshLabels labels;
    Labels all = labels.of(rows.grid);
    const std::string row = all.front();
    const Labels modes = labels.of(element().shape);
    all.insert(all.end(), modes.begin(), modes.end());
    const std::string by = compiler_.program().add_values(partitions_, rows.grid);
    return compiler_.program().add(
        rows.grid, element(), all,
        fmt::format("cum{}[{}{} by {}[{}]]({}[{}])", aggregate_.function, row, direction, by, row,
                    rows.name, fmt::join(all, ",")),
        labels);
  }

  TensorRows grouped(const std::map<std::pair<int64_t, int64_t>, int64_t>& groups) {
    std::vector<int64_t> members;
    std::vector<int64_t> numbers;
    for (const auto& [frame, group] : groups) {
      for (int64_t place = frame.first; place <= frame.second; ++place) {
        members.push_back(place);
        numbers.push_back(group);
      }
    }
    const TensorRows rows = in_order();
    const Shape pairs{static_cast<int64_t>(members.size())};
    const Shape grid{static_cast<int64_t>(groups.size())};
    FreshLabels labels;
    const std::string pair = labels.of(pairs).front();
    const Labels modes = labels.of(element().shape);
    Labels left{
        fmt::format("{}[{}] of {}", compiler_.program().add_values(numbers, pairs), pair, grid[0])};
    Labels read{fmt::format("{}[{}]", compiler_.program().add_values(members, pairs), pair)};
    left.insert(left.end(), modes.begin(), modes.end());
    read.insert(read.end(), modes.begin(), modes.end());
    return compiler_.program().add(
        grid, element(), left,
        fmt::format("{}[{}]({}[{}])", aggregate_.function, pair, rows.name, fmt::join(read, ",")),
        labels);
  }

  const Level::WindowAggregate& aggregate_;
  QueryCompiler& compiler_;
  RelationPtr ordered_;              // the table, with the places of what is merged
  RelationPtr merged_;               // what is merged, in its order
  std::vector<int64_t> partitions_;  // of these
  std::vector<Frame> frames_;
};

}  // namespace

RelationPtr add_window_aggregates(const RelationPtr& table,
                                  const std::vector<Level::WindowAggregate>& aggregates,
                                  QueryCompiler& compiler) {
  std::vector<JoinedColumn> results;
  for (const Level::WindowAggregate& aggregate : aggregates) {
    results.push_back(WindowMerge(table, aggregate, compiler).merge());
  }
  return results.empty() ? table : with_joined_columns(table, results, compiler);
}

}  // namespace tessera::sql
