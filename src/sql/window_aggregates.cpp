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

/// Two merged parts as one.
std::string merged_text(const std::string& function, const std::string& one,
                        const std::string& other) {
  static const std::map<std::string, std::string> texts{
      {"sum", "{0} + {1}"},
      {"prod", "{0} * {1}"},
      {"min", "minimum({0}, {1})"},
      {"max", "maximum({0}, {1})"},
      {"any", "{0} or {1}"},
      {"all", "{0} and {1}"},
      {"logsumexp",
       "where({0} == {1}, {0} + log(2.0), maximum({0}, {1}) + log1p(exp(-abs({0} - {1}))))"}};
  const auto found = texts.find(function);
  if (found == texts.end()) {
    throw_error(ErrorKind::unsupported,
                "{} over frames that neither begin nor end with their partition", function);
  }
  return fmt::format(fmt::runtime(found->second), one, other);
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
      result = running("");
      return frames_.with_ends();
    }
    if (frames_.end_with_partitions()) {
      result = running(" reverse");
      return frames_.with_begins();
    }
    result = covered();
    return frames_.with_numbers();
  }

 private:
  using Cover = WindowFrames::Cover;

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
    Labels left = labels.of(grid);
    const Labels rows = left;
    const Labels modes = labels.of(tensor.element.shape);
    left.insert(left.end(), modes.begin(), modes.end());
    const std::string read = space.read(tensor, "value", rows, modes);
    const bool is_converted = type.dtype != tensor.element.dtype;
    return compiler_.program().add(
        grid, {type.dtype, tensor.element.shape}, left,
        is_converted ? fmt::format("{}({})", name_of(type.dtype), read) : read, labels);
  }

  /// Running values of all that is merged, anew wherever a column of the merged rows differs.
  TensorRows scan(const std::string& function, const std::string& direction,
                  const RelationPtr& merged, const std::string& column, const TensorRows& rows,
                  const ArrayType& type) {
    FreshLabels labels;
    Labels all = labels.of(rows.grid);
    const Labels row = all;
    const Labels modes = labels.of(element().shape);
    all.insert(all.end(), modes.begin(), modes.end());
    RowSpace space(compiler_.key_tables(), merged->table, compiler_.program(), rows.grid);
    return compiler_.program().add(
        rows.grid, type, all,
        fmt::format("cum{}[{}{} by {}]({}[{}])", function, row.front(), direction,
                    space.gathered(column, row), rows.name, fmt::join(all, ",")),
        labels);
  }

  /// Returns the results of frames that begin or end with their partition.
  TensorRows running(const std::string& direction) {
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
    Labels left = labels.of(grid);
    const Labels row = left;
    const Labels modes = labels.of(element().shape);
    left.insert(left.end(), modes.begin(), modes.end());
    const auto at = [&](const TensorRows& tensor, const std::string& place) {
      Labels indices{space.gathered(place, row)};
      indices.insert(indices.end(), modes.begin(), modes.end());
      return fmt::format("{}[{}]", tensor.name, fmt::join(indices, ","));
    };
    std::string text =
        cover.kind == Cover::Kind::pair
            ? merged_text(function_of_parts(), at(tails, "window_low"), at(heads, "window_high"))
        : cover.kind == Cover::Kind::tail ? at(tails, "window_low")
                                          : at(heads, "window_high");
    if (is_mean()) {
      text = fmt::format("({}) / ({} - {} + 1)", text, space.gathered("window_high", row),
                         space.gathered("window_low", row));
    }
    if (type_of_parts().dtype != element().dtype || is_mean()) {
      text = fmt::format("{}({})", name_of(element().dtype), text);
    }
    return compiler_.program().add(grid, element(), left, text, labels);
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
      const auto scanned = [&](const std::string& direction) {
        return widths[number] == 0
                   ? single
                   : scan(function_of_parts(), direction, merged, block, single, type_of_parts());
      };
      heads.emplace(widths[number], scanned(""));
      tails.emplace(widths[number], scanned(" reverse"));
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
