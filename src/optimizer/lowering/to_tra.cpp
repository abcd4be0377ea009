#include "optimizer/lowering/to_tra.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "expr/reduction_order.h"
#include "expr/tile_program.h"
#include "ir/tra/infer.h"
#include "ir/tra/keys.h"
#include "optimizer/lowering/einsum_kernels.h"
#include "optimizer/lowering/scan_kernels.h"
#include "optimizer/partition/model/reading.h"

namespace tessera::optimizer {

namespace {

using einsum::EinSum;
using expr::LabelNumber;

using Grids = std::vector<Shared<ModeGrid>>;

/// The grids of a program, each made once.
class KnownGrids {
 public:
  Shared<ModeGrid> cut(int64_t extent, int64_t piece_length) {
    const auto [known, is_new] = grids_.try_emplace({extent, piece_length});
    if (is_new) {
      known->second = cut_every(extent, piece_length);
    }
    return known->second;
  }
  Shared<ModeGrid> whole(int64_t extent) { return cut(extent, std::max<int64_t>(extent, 1)); }

 private:
  std::map<std::pair<int64_t, int64_t>, Shared<ModeGrid>> grids_;  // by extent and length
};

/// The required cuts of a relation, by mode: dimensions of its key, whose labels are filled in
/// later.
using RequiredCuts = std::vector<tra::KeyDim>;

/// Returns a grid for every label of a statement; none for an input.
Grids grids_of(const einsum::Op& op, const std::vector<int64_t>& piece_lengths, KnownGrids& known) {
  const std::vector<expr::LabelDecl>& labels = einsum::labels_of(op);
  TESSERA_CHECK(piece_lengths.size() == labels.size(), "{} lengths for {} labels",
                piece_lengths.size(), labels.size());
  const std::vector<bool> whole = partition::whole_labels(op);
  Grids grids;
  for (size_t label = 0; label < labels.size(); ++label) {
    grids.push_back(known.cut(labels[label].extent, piece_lengths[label]));
    TESSERA_CHECK(!whole[label] || grids.back()->num_pieces() == 1,
                  "label {} lies whole, and is cut into {} pieces", labels[label].name,
                  grids.back()->num_pieces());
  }
  return grids;
}

class TraLowering {
 public:
  TraLowering(const einsum::Graph& graph, const partition::Partitioning& partitioning)
      : from_(graph), merged_apart_(partitioning.merged_apart) {
    for (size_t vertex = 0; vertex < graph.vertices.size(); ++vertex) {
      grids_.push_back(
          grids_of(graph.vertices[vertex].op, partitioning.piece_lengths[vertex], known_));
    }
  }

  tra::Graph run() && {
    find_first_readers();
    to_.nodes.reserve(from_.vertices.size());
    for (const einsum::Vertex& vertex : from_.vertices) {
      node_of_.push_back(
          std::visit([&](const auto& op) { return translate(vertex, op); }, vertex.op));
    }
    for (const einsum::Output& output : from_.outputs) {
      to_.outputs.push_back({output.name, node_of_[output.vertex.index()]});
    }
    return std::move(to_);
  }

 private:
  /// Finds the grids that the first reader of every vertex requires, by mode.
  void find_first_readers() {
    required_.resize(from_.vertices.size());
    for (size_t number = 0; number < from_.vertices.size(); ++number) {
      note_reader(from_.vertices[number], grids_[number]);
    }
  }

  void note_reader(const einsum::Vertex& vertex, const Grids& grids) {
    for (const partition::Reading& reading : partition::readings_of(vertex.op)) {
      const einsum::VertexId operand = vertex.operands[static_cast<size_t>(reading.operand)];
      if (!required_[operand.index()]) {
        required_[operand.index()] = required_cuts(reading, grids, from_.at(operand));
      }
    }
  }

  RequiredCuts required_cuts(const partition::Reading& reading, const Grids& grids,
                             const einsum::Vertex& operand) {
    const Shape& shape = operand.type.shape;
    const std::vector<std::optional<expr::LabelRange>> parts =
        parts_of_input(reading, grids, operand);
    RequiredCuts required;
    for (size_t mode = 0; mode < reading.cuts.size(); ++mode) {
      const ModeGrid* pieces =
          reading.cuts[mode] ? &*grids[static_cast<size_t>(reading.cuts[mode]->label)] : nullptr;
      const bool is_one =
          pieces == nullptr || (reading.is_window(mode) && pieces->num_pieces() == 1);
      if (is_one && parts[mode]) {
        const auto& [begin, length] = *parts[mode];
        required.emplace_back(tra::WindowDim{"", WindowGrid{{begin}, {begin + length}}});
      } else if (is_one) {
        required.emplace_back(tra::DenseDim{"", known_.whole(shape[mode])});
      } else if (reading.is_window(mode)) {
        required.emplace_back(tra::WindowDim{"", windows_of(reading, mode, grids, shape[mode])});
      } else {
        required.emplace_back(
            tra::DenseDim{"", grids[static_cast<size_t>(reading.cuts[mode]->label)]});
      }
    }
    return required;
  }

  /// Returns, by mode, the part of an input that is read over all pieces: no more is brought into
  /// memory.
  static std::vector<std::optional<expr::LabelRange>> parts_of_input(
      const partition::Reading& reading, const Grids& grids, const einsum::Vertex& operand) {
    const bool is_row_major = std::visit(
        Overload{[](const einsum::Input& input) { return input.order == StorageOrder::row_major; },
                 [](const Among<EinSum, einsum::Scan, einsum::Whole> auto&) { return false; }},
        operand.op);
    std::vector<int64_t> lengths;
    for (const Shared<ModeGrid>& grid : grids) {
      lengths.push_back(grid->extent());
    }
    return is_row_major ? partition::leading_parts(reading, lengths, operand.type.shape)
                        : std::vector<std::optional<expr::LabelRange>>(operand.type.shape.size());
  }

  /// Returns the windows of a mode for the pieces of the label that cuts it, with all other labels
  /// whole.
  static WindowGrid windows_of(const partition::Reading& reading, size_t mode, const Grids& grids,
                               int64_t extent) {
    std::vector<expr::LabelRange> ranges;
    for (const Shared<ModeGrid>& grid : grids) {
      ranges.push_back({0, grid->extent()});
    }
    const auto label = static_cast<size_t>(reading.cuts[mode]->label);
    WindowGrid windows;
    for (int64_t piece = 0; piece < grids[label]->num_pieces(); ++piece) {
      ranges[label] = {grids[label]->begin(piece), grids[label]->length(piece)};
      const expr::LabelRange read = reading.part_read(mode, ranges, extent);
      windows.begins.push_back(read.begin);
      windows.ends.push_back(read.begin + read.length);
    }
    return windows;
  }

  /// Returns a mode of the current input, as its first reader requires it. But a result has no
  /// element in two windows, so an input that is an output has as many plain pieces.
  tra::KeyDim dim_of_input(const tra::KeyDim& required, int64_t extent) {
    const einsum::VertexId vertex(static_cast<int64_t>(node_of_.size()));
    const WindowGrid* windows = tra::windows_of(required);
    const bool is_result =
        std::any_of(from_.outputs.begin(), from_.outputs.end(),
                    [&](const einsum::Output& output) { return output.vertex == vertex; });
    if (windows == nullptr || !is_result) {
      return required;
    }
    const int64_t length = (extent + windows->num_pieces() - 1) / windows->num_pieces();
    return tra::DenseDim{"", known_.cut(extent, std::max<int64_t>(length, 1))};
  }

  tra::NodeId translate(const einsum::Vertex& vertex, const einsum::Input& input) {
    tra::Column column{vertex.type.dtype, {}};
    tra::RelationType type;
    const auto& required = required_[static_cast<size_t>(node_of_.size())];
    std::set<std::string> taken;
    for (size_t mode = 0; mode < vertex.labels.size(); ++mode) {
      std::string label =
          vertex.labels[mode];  // key labels are distinct, the user's may repeat: A[i,i]
      for (int copy = 2; !taken.insert(label).second; ++copy) {
        label = fmt::format("{}_{}", vertex.labels[mode], copy);
      }
      const int64_t extent = vertex.type.shape[mode];
      type.key.push_back(required ? tra::with_label(dim_of_input((*required)[mode], extent), label)
                                  : tra::DenseDim{label, known_.whole(extent)});
      column.modes.push_back({label, extent});
    }
    type.columns.push_back(std::move(column));
    to_.nodes.push_back({tra::Input{vertex.name, input.order}, std::move(type), origin_of(vertex)});
    return tra::NodeId(static_cast<int64_t>(to_.nodes.size()) - 1);
  }

  tra::NodeId translate(const einsum::Vertex& vertex, const EinSum& written) {
    const EinSum einsum = with_state_in_range(written);
    const Grids& grids = grids_[node_of_.size()];
    const std::vector<partition::Reading> readings = partition::readings_of(vertex.op);
    tra::Join join = join_of(vertex, readings);
    std::vector<std::string> kept;
    for (const LabelNumber label : einsum.out) {
      kept.push_back(einsum.labels[static_cast<size_t>(label)].name);
    }
    for (const LabelNumber label : einsum.over) {
      if (grids[static_cast<size_t>(label)]->num_pieces() > 1) {
        join.key.emplace_back(tra::DenseDim{einsum.labels[static_cast<size_t>(label)].name,
                                            grids[static_cast<size_t>(label)]});
      }
    }
    join.kernel = kernel_of(einsum, readings);
    if (const std::optional<int32_t> source = einsum::source_operand(vertex.op)) {
      const einsum::Vertex& input = from_.at(vertex.operands[static_cast<size_t>(*source)]);
      join.source = tra::SourceTensor{input.name, input.type};
    }
    const bool partial = join.key.size() > kept.size();
    tra::NodeId node = tra::append(to_, std::move(join), origin_of(vertex));
    if (partial) {
      node = tra::append(to_, tra::Aggregate{node, kept, einsum.reduction->monoid, merge_order()},
                         origin_of(vertex));
    }
    if (einsum.reduction && !expr::is_plain(*einsum.reduction)) {
      node = tra::append(to_, tra::Transform{node, finalise_program(einsum)}, origin_of(vertex));
    }
    return node;
  }

  /// Makes the join of a statement's operands, cut by its grids, under the key of its result.
  tra::Join join_of(const einsum::Vertex& vertex, const std::vector<partition::Reading>& readings) {
    const Grids& grids = grids_[node_of_.size()];
    const std::vector<expr::LabelDecl>& labels = einsum::labels_of(vertex.op);
    tra::Join join;
    for (const partition::Reading& reading : readings) {
      const einsum::VertexId operand = vertex.operands[static_cast<size_t>(reading.operand)];
      const RequiredCuts required = required_cuts(reading, grids, from_.at(operand));
      join.inputs.push_back(
          cut_as(node_of_[operand.index()], required, origin_of(from_.at(operand))));
      join.match.push_back(match_of(reading, labels, grids));
    }
    for (const LabelNumber label : einsum::result_labels(vertex.op)) {
      const auto number = static_cast<size_t>(label);
      join.key.emplace_back(tra::DenseDim{labels[number].name, grids[number]});
    }
    return join;
  }

  /// A label that lies whole is scanned by one kernel. Else the scan is the cascade of cumulative
  /// aggregates (DistCumAgg §3) with all tiles of a label in one step: the merged state of every
  /// tile, the scan of these, and the scan of every tile from the state before it. Tiles of these
  /// partial results are small, and paged like all others. If they may lose range, the scan of them
  /// also reads the tiles, and walks those that do.
  tra::NodeId translate(const einsum::Vertex& vertex, const einsum::Scan& scan) {
    const Grids& grids = grids_[node_of_.size()];
    const std::vector<partition::Reading> readings = partition::readings_of(vertex.op);
    tra::Join join = join_of(vertex, readings);
    if (grids[static_cast<size_t>(scan.what.along)]->num_pieces() == 1) {
      join.kernel = whole_scan(scan, readings);
      return tra::append(to_, std::move(join), origin_of(vertex));
    }
    tra::Join merged = join;
    merged.kernel = merged_tile(scan, readings);
    const tra::NodeId partial = tra::append(to_, std::move(merged), origin_of(vertex));
    const std::string& along = scan.labels[static_cast<size_t>(scan.what.along)].name;
    tra::Scan states{partial, along, scan.what.monoid, scan.what.direction};
    if (expr::may_lose_range(scan.what.monoid)) {
      states.tiles = join.inputs;
      states.match = join.match;
      states.kernel = states_behind(scan, readings);
    }
    const tra::NodeId before = tra::append(to_, std::move(states), origin_of(vertex));
    join.inputs.push_back(before);
    join.match.push_back(labels_of_key(join.key));
    join.kernel = scan_from(scan, readings);
    return tra::append(to_, std::move(join), origin_of(vertex));
  }

  /// The core labels lie whole, so one kernel call has all that it needs.
  tra::NodeId translate(const einsum::Vertex& vertex, const einsum::Whole& whole) {
    const std::vector<partition::Reading> readings = partition::readings_of(vertex.op);
    tra::Join join = join_of(vertex, readings);
    join.kernel = whole_call(whole, readings);
    return tra::append(to_, std::move(join), origin_of(vertex));
  }

  static std::vector<std::string> labels_of_key(const std::vector<tra::KeyDim>& key) {
    std::vector<std::string> labels;
    for (const tra::KeyDim& dim : key) {
      labels.push_back(tra::label_of(dim));
    }
    return labels;
  }

  /// Returns the order in which partial results of the current vertex are merged.
  tra::MergeOrder merge_order() const {
    const size_t vertex = node_of_.size();
    const bool is_apart = vertex < merged_apart_.size() && merged_apart_[vertex];
    return is_apart ? tra::MergeOrder::tree : tra::MergeOrder::sequence;
  }

  /// Returns the labels by which tuples are read; none if one tuple has all of a mode.
  static std::vector<std::string> match_of(const partition::Reading& reading,
                                           const std::vector<expr::LabelDecl>& labels,
                                           const Grids& grids) {
    std::vector<std::string> match;
    for (size_t mode = 0; mode < reading.cuts.size(); ++mode) {
      const partition::ModeCut& cut = reading.cuts[mode];
      const bool is_whole = !cut || (reading.is_window(mode) &&
                                     grids[static_cast<size_t>(cut->label)]->num_pieces() == 1);
      match.push_back(is_whole ? tra::kNoLabel : labels[static_cast<size_t>(cut->label)].name);
    }
    return match;
  }

  /// Returns the relation with these cuts: itself, or repartitioned once for all readers that
  /// require the same.
  ///
  /// An input whose tiles would have to be put together is read again: that moves as many bytes as
  /// copying tiles, and no tile has to stay in memory for it. So windows of an input are read
  /// directly.
  tra::NodeId cut_as(tra::NodeId node, const RequiredCuts& required, const Origin& origin) {
    const tra::Node& given = to_.at(node);
    std::vector<tra::KeyDim> key;
    for (size_t dim = 0; dim < required.size(); ++dim) {
      key.push_back(tra::with_label(required[dim], tra::label_of(given.type.key[dim])));
    }
    if (key == given.type.key) {
      return node;
    }
    const bool is_finer = !tra::has_windows(given.type.key) && tra::refines(key, given.type.key);
    const bool is_read_again = std::holds_alternative<tra::Input>(given.op) && !is_finer;
    for (size_t other = node.index() + 1; other < to_.nodes.size(); ++other) {
      const auto* repartition = std::get_if<tra::Repartition>(&to_.nodes[other].op);
      const bool is_same = is_read_again ? to_.nodes[other].op == given.op
                                         : repartition != nullptr && repartition->input == node;
      if (is_same && to_.nodes[other].type.key == key) {
        return tra::NodeId(static_cast<int64_t>(other));
      }
    }
    if (is_read_again) {
      tra::Node again = given;
      again.type.key = std::move(key);
      to_.nodes.push_back(std::move(again));
      return tra::NodeId(static_cast<int64_t>(to_.nodes.size()) - 1);
    }
    return tra::append(to_, tra::Repartition{node, std::move(key)}, origin);
  }

  static Origin origin_of(const einsum::Vertex& vertex) {
    Origin origin = vertex.origin;
    origin.statement = vertex.name;
    return origin;
  }

  const einsum::Graph& from_;
  const std::vector<bool>& merged_apart_;  // Partitioning::merged_apart
  KnownGrids known_;
  std::vector<Grids> grids_;  // by vertex, by label
  tra::Graph to_;
  std::vector<tra::NodeId> node_of_;
  std::vector<std::optional<RequiredCuts>> required_;
};

}  // namespace

tra::Graph to_tra(const einsum::Graph& graph, const partition::Partitioning& partitioning) {
  TESSERA_CHECK(partitioning.piece_lengths.size() == graph.vertices.size(),
                "{} entries of a partitioning for {} vertices", partitioning.piece_lengths.size(),
                graph.vertices.size());
  return TraLowering(graph, partitioning).run();
}

}  // namespace tessera::optimizer
