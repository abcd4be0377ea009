#include "sql/window_aggregates.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "sql/row_space.h"
#include "sql/window_frames.h"

namespace tessera::sql {

namespace {

/// Scans larger than this part of the budget are written before frames read them.
constexpr int64_t kPartOfBudget = 8;

using program::call;

/// log(exp(x) + exp(y))
program::Expression logsumexp_of(const program::Expression& x, const program::Expression& y) {
  const program::Expression log_of_two = call("log", {program::number(2.0)});
  const program::Expression distance = call("exp", {negative(call("abs", {x - y}))});
  return call("where", {call("equal", {x, y}), x + log_of_two,
                        call("maximum", {x, y}) + call("log1p", {distance})});
}

/// Two merged parts as one.
program::Expression merged_value(const std::string& aggregate, const program::Expression& one,
                                 const program::Expression& other) {
  static const std::map<std::string, std::string> functions{
      {"sum", "add"},     {"prod", "multiply"},  {"min", "minimum"},
      {"max", "maximum"}, {"any", "logical_or"}, {"all", "logical_and"}};
  if (aggregate == "logsumexp") {
    return logsumexp_of(one, other);
  }
  const auto found = functions.find(aggregate);
  if (found == functions.end()) {
    throw_error(ErrorKind::unsupported,
                "{} over frames that neither begin nor end with their partition", aggregate);
  }
  return call(found->second, {one, other});
}

/// One aggregate over the windows of a table's rows.
class WindowMerge {
 public:
  WindowMerge(const RelationPtr& table, const Level::WindowAggregate& aggregate,
              QueryCompiler& compiler)
      : aggregate_(aggregate), compiler_(compiler), frames_(table, aggregate, compiler) {}

  /// The table with the numbers of the result's rows.
  RelationPtr merge() {
    TensorRows& result = aggregate_.result->tensor;
    if (frames_.num_frames() == 0) {
      result = compiler_.program().add_empty(element());
      return frames_.with_ends();
    }
    if (frames_.begin_with_partitions()) {
      result = running(Direction::forward);
      return frames_.with_ends();
    }
    if (frames_.end_with_partitions()) {
      result = running(Direction::backward);
      return frames_.with_begins();
    }
    result = covered();
    return frames_.with_numbers();
  }

 private:
  using Cover = WindowFrames::Cover;
  enum class Direction : uint8_t { forward, backward };

  const ArrayType& element() const { return aggregate_.result->tensor.element; }
  /// A mean is a sum over a number of places, which each frame knows.
  bool is_mean() const { return aggregate_.function == "mean"; }
  std::string function_of_parts() const { return is_mean() ? "sum" : aggregate_.function; }

  /// Returns the type in which parts of frames are merged: f32 for f16 and bf16.
  ArrayType type_of_parts() const {
    ArrayType type = element();
    if (type.dtype == DType::f16 || type.dtype == DType::bf16) {
      type.dtype = DType::f32;
    }
    return type;
  }

  /// The tensors that are merged, in their order, as this type.
  TensorRows in_order(const RelationPtr& merged, const ArrayType& type) {
    const TensorRows& tensor = aggregate_.value->tensor;
    const Shape grid{frames_.num_merged()};
    RowSpace space(compiler_.key_tables(), merged->table, compiler_.program(), grid);
    FreshLabels labels;
    const Labels rows = labels.of(grid);
    const Labels modes = labels.of(tensor.element.shape);
    const program::Expression value = space.read(tensor, "value", rows, indices_of(modes));
    const bool is_converted = type.dtype != tensor.element.dtype;
    return compiler_.program().add(grid, {type.dtype, tensor.element.shape},
                                   {left_of(joined(rows, modes)),
                                    is_converted ? program::converted(type.dtype, value) : value});
  }

  /// Running values of all that is merged, anew wherever a column of the merged rows differs.
  TensorRows scan(const std::string& function, Direction direction, const RelationPtr& merged,
                  const std::string& column, const TensorRows& rows, const ArrayType& type) {
    FreshLabels labels;
    const Labels row = labels.of(rows.grid);
    const Labels all = joined(row, labels.of(element().shape));
    RowSpace space(compiler_.key_tables(), merged->table, compiler_.program(), rows.grid);
    const program::ScanOrder order{direction == Direction::backward, space.gathered(column, row)};
    return compiler_.program().add(
        rows.grid, type,
        {left_of(all), program::scan("cum" + function, row.front(), order,
                                     program::read(rows.name, indices_of(all)))});
  }

  /// Returns the results of frames that begin or end with their partition.
  TensorRows running(Direction direction) {
    const RelationPtr merged = frames_.merged({});
    const ArrayType merged_type{aggregate_.dtype, element().shape};
    return scan(aggregate_.function, direction, merged, "window_partition",
                in_order(merged, merged_type), element());
  }

  /// The frames that are merged in one way, each from two places of scans, or one.
  TensorRows of_cover(const Cover& cover, const TensorRows& heads, const TensorRows& tails) {
    const RelationPtr frames = frames_.frames_of(cover);
    const Shape grid{compiler_.key_tables().num_rows(frames->table)};
    RowSpace space(compiler_.key_tables(), frames->table, compiler_.program(), grid);
    FreshLabels labels;
    const Labels row = labels.of(grid);
    const Labels modes = labels.of(element().shape);
    const auto at = [&](const TensorRows& tensor, const std::string& place) {
      return program::read(tensor.name, joined({space.gathered(place, row)}, indices_of(modes)));
    };
    program::Expression value =
        cover.kind == Cover::Kind::pair
            ? merged_value(function_of_parts(), at(tails, "window_low"), at(heads, "window_high"))
        : cover.kind == Cover::Kind::tail ? at(tails, "window_low")
                                          : at(heads, "window_high");
    if (is_mean()) {
      value = value / (space.gathered("window_high", row) - space.gathered("window_low", row) +
                       program::number(int64_t{1}));
    }
    if (type_of_parts().dtype != element().dtype || is_mean()) {
      value = program::converted(element().dtype, value);
    }
    return compiler_.program().add(grid, element(), {left_of(joined(row, modes)), value});
  }

  /// Frames that begin and end anywhere: running values from the begin of each block on, and back
  /// from its end, have the two parts of a frame that lies in two blocks.
  TensorRows covered() {
    const std::vector<Cover> covers = frames_.find_covers();
    std::vector<int64_t> widths;
    for (const Cover& cover : covers) {
      if (cover.kind != Cover::Kind::single &&
          std::find(widths.begin(), widths.end(), cover.width) == widths.end()) {
        widths.push_back(cover.width);
      }
    }
    const RelationPtr merged = frames_.merged(widths);
    const TensorRows single = in_order(merged, type_of_parts());
    std::map<int64_t, TensorRows> heads;
    std::map<int64_t, TensorRows> tails;
    for (size_t number = 0; number < widths.size(); ++number) {
      const std::string block = fmt::format("block{}", number + 1);
      const auto scanned = [&](Direction direction) {
        return widths[number] == 0
                   ? single
                   : scan(function_of_parts(), direction, merged, block, single, type_of_parts());
      };
      heads.emplace(widths[number], scanned(Direction::forward));
      tails.emplace(widths[number], scanned(Direction::backward));
    }
    write_large(covers, single, heads, tails);
    std::vector<TensorRows> parts;
    for (const Cover& cover : covers) {
      const bool is_single = cover.kind == Cover::Kind::single;
      parts.push_back(of_cover(cover, is_single ? single : heads.at(cover.width),
                               is_single ? single : tails.at(cover.width)));
    }
    return compiler_.program().add_joined(parts);
  }

  /// Frames read scans at places that are data, which takes all of a tensor in memory unless it is
  /// in a file.
  void write_large(const std::vector<Cover>& covers, const TensorRows& single,
                   const std::map<int64_t, TensorRows>& heads,
                   const std::map<int64_t, TensorRows>& tails) {
    const int64_t budget = compiler_.program().session().budget().bytes;
    if (size_in_bytes(type_of(single)) <= budget / kPartOfBudget) {
      return;
    }
    std::vector<std::string> names;
    for (const Cover& cover : covers) {
      const bool is_single = cover.kind == Cover::Kind::single;
      if (cover.kind != Cover::Kind::tail) {
        names.push_back(is_single ? single.name : heads.at(cover.width).name);
      }
      if (cover.kind == Cover::Kind::tail || cover.kind == Cover::Kind::pair) {
        names.push_back(tails.at(cover.width).name);
      }
    }
    compiler_.program().keep(names, compiler_.control());
  }

  const Level::WindowAggregate& aggregate_;
  QueryCompiler& compiler_;
  WindowFrames frames_;
};

}  // namespace

RelationPtr add_window_aggregates(const RelationPtr& table,
                                  const std::vector<Level::WindowAggregate>& aggregates,
                                  QueryCompiler& compiler) {
  RelationPtr with_results = table;
  for (const Level::WindowAggregate& aggregate : aggregates) {
    with_results = WindowMerge(with_results, aggregate, compiler).merge();
  }
  return with_results;
}

}  // namespace tessera::sql
