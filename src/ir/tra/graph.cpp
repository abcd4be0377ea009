#include "ir/tra/graph.h"

#include <algorithm>

namespace tessera::tra {

const std::string& label_of(const KeyDim& dim) {
  return std::visit([](const auto& any) -> const std::string& { return any.label; }, dim);
}

KeyDim with_label(KeyDim dim, const std::string& label) {
  std::visit([&](auto& any) { any.label = label; }, dim);
  return dim;
}

int64_t num_keys(const KeyDim& dim) {
  struct Counter {
    int64_t operator()(const DenseDim& dense) const { return dense.grid->num_pieces(); }
    int64_t operator()(const WindowDim& windows) const { return windows.grid->num_pieces(); }
    int64_t operator()(const BareDim& bare) const { return bare.extent; }
  };
  return std::visit(Counter{}, dim);
}

const ModeGrid* grid_of(const KeyDim& dim) {
  using Found = const ModeGrid*;
  return std::visit(
      Overload{[](const DenseDim& dense) -> Found { return &*dense.grid; },
               [](const Among<WindowDim, BareDim> auto&) -> Found { return nullptr; }},
      dim);
}

const WindowGrid* windows_of(const KeyDim& dim) {
  using Found = const WindowGrid*;
  return std::visit(Overload{[](const WindowDim& windows) -> Found { return &*windows.grid; },
                             [](const Among<DenseDim, BareDim> auto&) -> Found { return nullptr; }},
                    dim);
}

std::optional<PieceSpan> span_of(const KeyDim& dim, int64_t number) {
  using Found = std::optional<PieceSpan>;
  return std::visit(
      Overload{[&](const Among<DenseDim, WindowDim> auto& counted) {
                 return Found({counted.grid->begin(number), counted.grid->length(number)});
               },
               [](const BareDim&) { return Found(); }},
      dim);
}

int64_t num_keys(const std::vector<KeyDim>& key) {
  int64_t product = 1;
  bool is_too_large = false;
  for (const KeyDim& dim : key) {
    const int64_t keys = num_keys(dim);
    if (keys == 0) {
      return 0;
    }
    is_too_large = is_too_large || keys > kMostTuples / product;
    product = is_too_large ? 1 : product * keys;
  }
  return is_too_large ? kMostTuples + 1 : product;
}

int64_t num_tuples(const RelationType& type) {
  return num_present(type.present, num_keys(type.key));
}

std::vector<ArrayType> arrays_of(const RelationType& type) {
  std::vector<ArrayType> arrays;
  for (const Column& column : type.columns) {
    ArrayType array{column.dtype, {}};
    for (const Mode& mode : column.modes) {
      array.shape.push_back(mode.extent);
    }
    arrays.push_back(std::move(array));
  }
  return arrays;
}

namespace {

/// Returns the mean length of the pieces of a mode.
double mean_length(const Mode& mode, const std::vector<KeyDim>& key) {
  const int dim = find_key_dim(key, mode.label);
  const WindowGrid* windows = dim < 0 ? nullptr : windows_of(key[static_cast<size_t>(dim)]);
  const auto pieces = static_cast<double>(
      std::max<int64_t>(dim < 0 ? 1 : num_keys(key[static_cast<size_t>(dim)]), 1));
  if (windows == nullptr) {
    return static_cast<double>(mode.extent) / pieces;
  }
  double sum = 0;
  for (int64_t window = 0; window < windows->num_pieces(); ++window) {
    sum += static_cast<double>(windows->length(window));
  }
  return sum / pieces;
}

}  // namespace

double tuple_bytes(const RelationType& type) {
  double bytes = 0;
  for (const Column& column : type.columns) {
    auto array = static_cast<double>(size_of(column.dtype));
    for (const Mode& mode : column.modes) {
      array *= mean_length(mode, type.key);
    }
    bytes += array;
  }
  return type.rows ? bytes * static_cast<double>(type.rows->expected) : bytes;
}

int find_key_dim(const std::vector<KeyDim>& key, const std::string& label) {
  for (size_t dim = 0; dim < key.size(); ++dim) {
    if (label_of(key[dim]) == label) {
      return static_cast<int>(dim);
    }
  }
  return -1;
}

bool has_mode(const RelationType& type, const std::string& label) {
  return std::any_of(type.columns.begin(), type.columns.end(), [&](const Column& column) {
    return std::any_of(column.modes.begin(), column.modes.end(),
                       [&](const Mode& mode) { return mode.label == label; });
  });
}

std::vector<SourceTensor> sources_of(const Op& op, const RelationType& type) {
  using Sources = std::vector<SourceTensor>;
  return std::visit(
      Overload{[&](const Input& input) {
                 return type.rows ? Sources{} : Sources{{input.name, arrays_of(type).front()}};
               },
               [](const Join& join) { return join.source ? Sources{*join.source} : Sources{}; },
               [](const Among<Aggregate, Rekey, Filter, Transform, Tile, Concat, Repartition,
                              Scan> auto&) { return Sources{}; }},
      op);
}

std::vector<NodeId> inputs_of(const Op& op) {
  struct Reader {
    std::vector<NodeId> operator()(const Input&) const { return {}; }
    std::vector<NodeId> operator()(const Join& join) const { return join.inputs; }
    std::vector<NodeId> operator()(const Aggregate& aggregate) const { return {aggregate.input}; }
    std::vector<NodeId> operator()(const Rekey& rekey) const { return {rekey.input}; }
    std::vector<NodeId> operator()(const Filter& filter) const { return {filter.input}; }
    std::vector<NodeId> operator()(const Transform& transform) const { return {transform.input}; }
    std::vector<NodeId> operator()(const Tile& tile) const { return {tile.input}; }
    std::vector<NodeId> operator()(const Concat& concat) const { return {concat.input}; }
    std::vector<NodeId> operator()(const Repartition& repartition) const {
      return {repartition.input};
    }
    std::vector<NodeId> operator()(const Scan& scan) const {
      std::vector<NodeId> inputs = {scan.input};
      inputs.insert(inputs.end(), scan.tiles.begin(), scan.tiles.end());
      return inputs;
    }
  };
  return std::visit(Reader{}, op);
}

Op with_inputs(Op op, const std::vector<NodeId>& inputs) {
  struct Setter {
    const std::vector<NodeId>& inputs;
    void operator()(Input&) const {}
    void operator()(Join& join) const { join.inputs = inputs; }
    void operator()(Aggregate& aggregate) const { aggregate.input = inputs.at(0); }
    void operator()(Rekey& rekey) const { rekey.input = inputs.at(0); }
    void operator()(Filter& filter) const { filter.input = inputs.at(0); }
    void operator()(Transform& transform) const { transform.input = inputs.at(0); }
    void operator()(Tile& tile) const { tile.input = inputs.at(0); }
    void operator()(Concat& concat) const { concat.input = inputs.at(0); }
    void operator()(Repartition& repartition) const { repartition.input = inputs.at(0); }
    void operator()(Scan& scan) const {
      scan.input = inputs.at(0);
      scan.tiles.assign(inputs.begin() + 1, inputs.end());
    }
  };
  std::visit(Setter{inputs}, op);
  return op;
}

Join steps_of(const Scan& scan, const std::vector<KeyDim>& key) {
  Join steps{inputs_of(scan), {{}}, key, scan.kernel};
  for (const KeyDim& dim : key) {
    steps.match.front().push_back(label_of(dim));
  }
  steps.match.insert(steps.match.end(), scan.match.begin(), scan.match.end());
  return steps;
}

std::vector<ir::NamedOutput> named_outputs(const std::vector<Output>& outputs) {
  std::vector<ir::NamedOutput> named;
  for (const Output& output : outputs) {
    named.push_back({output.name, output.node.value});
  }
  return named;
}

}  // namespace tessera::tra
