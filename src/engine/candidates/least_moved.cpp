#include "engine/candidates/least_moved.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ir/ia/placement_of.h"
#include "ir/tra/presence.h"
#include "optimizer/ia/moves.h"
#include "plan/needed_keys.h"

namespace tessera::engine {

namespace {

/// The most keys of a relation that is counted.
constexpr int64_t kMostCountedKeys = int64_t{1} << 20;

/// Returns the input that an operator's tuples are, or may be, views of; nothing if they are its
/// own.
std::optional<ia::NodeId> shown_by(const ia::Node& node) {
  using Shown = std::optional<ia::NodeId>;
  const tra::Op* op = ia::local_op(node);
  if (op == nullptr) {
    return optimizer::moved_by(node);
  }
  return std::visit(
      Overload{[](const tra::Input&) -> Shown { return std::nullopt; },
               [](const tra::Join&) -> Shown { return std::nullopt; },
               [](const tra::Aggregate&) -> Shown { return std::nullopt; },
               [](const tra::Transform&) -> Shown { return std::nullopt; },
               [](const tra::Filter& filter) -> Shown { return filter.input; },
               [](const tra::Rekey& rekey) -> Shown { return rekey.input; },
               [](const tra::Tile& tile) -> Shown { return tile.input; },
               [](const tra::Concat& concat) -> Shown { return concat.input; },
               [](const tra::Repartition& repartition) -> Shown { return repartition.input; },
               [](const tra::Scan&) -> Shown { return std::nullopt; }},
      *op);
}

/// Returns the part of an array's elements along a dimension, by key.
std::vector<double> lengths_along(const tra::KeyDim& dim, const tra::Column& column) {
  std::vector<double> lengths(static_cast<size_t>(tra::num_keys(dim)), 1);
  const ModeGrid* grid = tra::grid_of(dim);
  for (const tra::Mode& mode : column.modes) {
    for (size_t key = 0; key < lengths.size() && mode.label == tra::label_of(dim); ++key) {
      lengths[key] *= grid == nullptr
                          ? static_cast<double>(mode.extent)
                          : static_cast<double>(grid->length(static_cast<int64_t>(key)));
    }
  }
  return lengths;
}

/// Returns the bytes of an array by the number of its key.
std::vector<double> bytes_by_key(const tra::Column& column, const std::vector<tra::KeyDim>& key) {
  auto of_each = static_cast<double>(size_of(column.dtype));
  for (const tra::Mode& mode : column.modes) {
    of_each *= tra::find_key_dim(key, mode.label) < 0 ? static_cast<double>(mode.extent) : 1;
  }
  std::vector<double> bytes = {of_each};
  for (const tra::KeyDim& dim : key) {
    const std::vector<double> lengths = lengths_along(dim, column);
    std::vector<double> longer;
    for (const double before : bytes) {
      for (const double length : lengths) {
        longer.push_back(before * length);
      }
    }
    bytes = std::move(longer);
  }
  return bytes;
}

/// The calls of an operator: by number, in parallel, an input tuple and the tuple made from it.
struct Calls {
  std::vector<int64_t> reads;
  std::vector<int64_t> makes;
};

std::vector<int64_t> all_numbers(const std::vector<tra::KeyDim>& key) {
  std::vector<int64_t> numbers(static_cast<size_t>(tra::num_keys(key)));
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  return numbers;
}

/// The calls of an operator; none for operators that make views.
struct CallsOf {
  const ia::Graph& graph;
  const std::vector<tra::KeyDim>& key;  // of the result
  size_t input;

  Calls operator()(const tra::Join& join) const {
    return {tra::matched_numbers(key, tra::matched_dims(join, input),
                                 graph.at(join.inputs[input]).type.key),
            all_numbers(key)};
  }
  Calls operator()(const tra::Aggregate& aggregate) const {
    const std::vector<tra::KeyDim>& from = graph.at(aggregate.input).type.key;
    return {all_numbers(from), tra::Coarsening(from, key).numbers()};
  }
  Calls operator()(const tra::Transform&) const { return {all_numbers(key), all_numbers(key)}; }
  Calls operator()(const tra::Input&) const { return {}; }
  Calls operator()(const tra::Filter&) const { return {}; }
  Calls operator()(const tra::Rekey&) const { return {}; }
  Calls operator()(const tra::Tile&) const { return {}; }
  Calls operator()(const tra::Concat&) const { return {}; }
  Calls operator()(const tra::Repartition&) const { return {}; }
  Calls operator()(const tra::Scan& scan) const {
    return scan.walks() ? (*this)(tra::steps_of(scan, key)) : Calls{};
  }
};

bool is_counted(const tra::RelationType& type) {
  return tra::num_keys(type.key) <= kMostCountedKeys && !type.rows && tra::has_all(type.present);
}

/// Returns the bytes that must come to the sites of an operator's calls, from the relation that an
/// input is a copy of.
double brought_bytes(const ia::Graph& graph, const ia::Node& node, size_t input) {
  const ia::Node& source =
      graph.at(optimizer::unmoved(graph, tra::inputs_of(*ia::local_op(node))[input]));
  if (ia::is_everywhere(source.placement) || !is_counted(source.type)) {
    return 0;
  }
  const Calls calls = std::visit(CallsOf{graph, node.type.key, input}, *ia::local_op(node));
  const ia::SiteSets there = ia::site_sets_of(source.placement, source.type.key, graph.num_sites);
  const std::vector<int32_t> sites = ia::sites_of(node.placement, node.type.key, graph.num_sites);
  std::vector<std::pair<int64_t, int32_t>> brought;
  for (size_t call = 0; call < calls.reads.size(); ++call) {
    const std::span<const int32_t> known = there.of(static_cast<size_t>(calls.reads[call]));
    const int32_t site = sites[static_cast<size_t>(calls.makes[call])];
    if (!std::binary_search(known.begin(), known.end(), site)) {
      brought.emplace_back(calls.reads[call], site);
    }
  }
  std::sort(brought.begin(), brought.end());
  brought.erase(std::unique(brought.begin(), brought.end()), brought.end());
  double bytes = 0;
  for (const tra::Column& column : source.type.columns) {
    const std::vector<double> of_tuple = bytes_by_key(column, source.type.key);
    for (const auto& [tuple, site] : brought) {
      bytes += of_tuple[static_cast<size_t>(tuple)];
    }
  }
  return bytes;
}

}  // namespace

double least_moved_bytes(const ia::Graph& graph) {
  const std::vector<plan::NeededKeys> needed = plan::needed_keys(graph);
  std::vector<size_t> source;                       // by node: the original of its views
  std::vector<double> most(graph.nodes.size(), 0);  // by source
  for (size_t number = 0; number < graph.nodes.size(); ++number) {
    const ia::Node& node = graph.nodes[number];
    const std::optional<ia::NodeId> shown = shown_by(node);
    source.push_back(shown ? source[shown->index()] : number);
    const bool makes_all = ia::local_op(node) != nullptr && ia::is_one_copy(node.placement) &&
                           !needed[number] && is_counted(node.type);
    const std::vector<ia::NodeId> inputs =
        makes_all ? ia::inputs_of(node.op) : std::vector<ia::NodeId>();
    for (size_t input = 0; input < inputs.size(); ++input) {
      double& bytes = most[source[inputs[input].index()]];
      bytes = std::max(bytes, brought_bytes(graph, node, input));
    }
  }
  return std::accumulate(most.begin(), most.end(), 0.0);
}

}  // namespace tessera::engine
