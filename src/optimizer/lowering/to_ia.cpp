#include "optimizer/lowering/to_ia.h"

#include <algorithm>
#include <utility>

#include "types/grid.h"

namespace tessera::optimizer {

namespace {

std::vector<std::string> labels_of(const std::vector<tra::KeyDim>& key) {
  std::vector<std::string> labels;
  for (const tra::KeyDim& dim : key) {
    labels.push_back(tra::label_of(dim));
  }
  return labels;
}

/// Elements in all arrays of a relation, were every mode cut as its key says.
double num_floats(const tra::RelationType& type) {
  double floats = 0;
  for (const tra::Column& column : type.columns) {
    double elements = 1;
    for (const tra::Mode& mode : column.modes) {
      elements *= static_cast<double>(mode.extent);
    }
    floats += elements;
  }
  for (const tra::KeyDim& dim : type.key) {
    if (std::holds_alternative<tra::BareDim>(dim)) {
      floats *= static_cast<double>(tra::num_keys(dim));
    }
  }
  return floats;
}

/// The grids that have every cut of both keys (same labels, same order).
std::vector<tra::KeyDim> refined(const std::vector<tra::KeyDim>& from,
                                 const std::vector<tra::KeyDim>& to) {
  std::vector<tra::KeyDim> key = from;
  for (size_t dim = 0; dim < key.size(); ++dim) {
    if (auto* dense = std::get_if<tra::DenseDim>(&key[dim])) {
      dense->grid = common_refinement(dense->grid, std::get<tra::DenseDim>(to[dim]).grid);
    }
  }
  return key;
}

class Translation {
 public:
  Translation(const tra::Graph& graph, int64_t num_sites) : from_(graph) {
    to_.num_sites = num_sites;
  }

  ia::Graph run() && {
    for (const tra::Node& node : from_.nodes) {
      node_of_.push_back(std::visit([&](const auto& op) { return translate(node, op); }, node.op));
    }
    for (const tra::Output& output : from_.outputs) {
      to_.outputs.push_back({output.name, node_of_[output.node.index()]});
    }
    return std::move(to_);
  }

 private:
  ia::NodeId add(ia::Op op, tra::RelationType type, ia::Placement placement, const Origin& origin) {
    to_.nodes.push_back({std::move(op), std::move(type), std::move(placement), origin});
    return ia::NodeId(static_cast<int64_t>(to_.nodes.size()) - 1);
  }

  ia::NodeId at(tra::NodeId id) const { return node_of_[id.index()]; }

  /// The relation shuffled by these key dimensions; itself on one site or where it lies so already
  /// (R2-7).
  ia::NodeId shuffled(ia::NodeId node, std::vector<std::string> dims, const Origin& origin) {
    const ia::Placement wanted = ia::ByDims{dims};
    if (to_.num_sites == 1 || to_.at(node).placement == wanted) {
      return node;
    }
    return add(ia::Shuf{node, std::move(dims)}, to_.at(node).type, wanted, origin);
  }

  ia::NodeId broadcast(ia::NodeId node, const Origin& origin) {
    if (to_.num_sites == 1 || std::holds_alternative<ia::Everywhere>(to_.at(node).placement)) {
      return node;
    }
    return add(ia::Bcast{node}, to_.at(node).type, ia::Everywhere{}, origin);
  }

  ia::NodeId translate(const tra::Node& node, const tra::Input& input) {
    return add(ia::Source{input.name}, node.type, ia::ByDims{labels_of(node.type.key)},
               node.origin);
  }

  ia::NodeId translate(const tra::Node& node, const tra::Join& join) {
    ia::LocalJoin local{{}, join.match, join.key, join.kernel};
    size_t stays = 0;
    for (size_t input = 1; input < join.inputs.size(); ++input) {
      if (num_floats(from_.at(join.inputs[input]).type) >
          num_floats(from_.at(join.inputs[stays]).type)) {
        stays = input;
      }
    }
    ia::Placement placement = ia::ByDims{labels_of(join.key)};
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      const ia::NodeId operand = at(join.inputs[input]);
      local.inputs.push_back(input == stays ? operand : broadcast(operand, node.origin));
      if (input == stays) {
        placement = renamed(to_.at(operand).placement, from_.at(join.inputs[input]).type,
                            join.match[input], node.type);
      }
    }
    return add(std::move(local), node.type, std::move(placement), node.origin);
  }

  /// A placement by the labels that an input's key dimensions have in a join. Dimensions of one
  /// key that the result's key leaves out do not tell tuples apart.
  static ia::Placement renamed(const ia::Placement& placement, const tra::RelationType& type,
                               const std::vector<std::string>& match,
                               const tra::RelationType& result) {
    const auto* by = std::get_if<ia::ByDims>(&placement);
    if (by == nullptr) {
      return placement;
    }
    ia::ByDims dims;
    for (const std::string& label : by->dims) {
      const std::string& name = match[static_cast<size_t>(tra::find_key_dim(type, label))];
      const bool known = std::find(dims.dims.begin(), dims.dims.end(), name) != dims.dims.end();
      if (!known && tra::find_key_dim(result, name) >= 0) {
        dims.dims.push_back(name);
      }
    }
    return dims;
  }

  ia::NodeId translate(const tra::Node& node, const tra::Aggregate& aggregate) {
    const ia::NodeId input = shuffled(at(aggregate.input), aggregate.keep, node.origin);
    return add(
        ia::LocalAggregate{input, ia::Merge{aggregate.keep, aggregate.monoid, aggregate.order}},
        node.type, ia::ByDims{aggregate.keep}, node.origin);
  }

  ia::NodeId translate(const tra::Node& node, const tra::Rekey& rekey) {
    return add(ia::LocalMap{at(rekey.input), ia::MapKeys{rekey.key}}, node.type,
               ia::ByDims{labels_of(node.type.key)}, node.origin);
  }

  ia::NodeId translate(const tra::Node& node, const tra::Filter& filter) {
    const ia::NodeId input = at(filter.input);
    return add(ia::LocalFilter{input, filter.predicate}, node.type, to_.at(input).placement,
               node.origin);
  }

  ia::NodeId translate(const tra::Node& node, const tra::Transform& transform) {
    const ia::NodeId input = at(transform.input);
    return add(ia::LocalMap{input, ia::MapArrays{transform.kernel}}, node.type,
               to_.at(input).placement, node.origin);
  }

  ia::NodeId translate(const tra::Node& node, const tra::Tile& tile) {
    const ia::NodeId input = at(tile.input);
    return add(ia::LocalMap{input, ia::Cut{node.type.key}}, node.type, to_.at(input).placement,
               node.origin);
  }

  ia::NodeId translate(const tra::Node& node, const tra::Concat& concat) {
    const std::vector<std::string> kept = labels_of(node.type.key);
    const ia::NodeId input = shuffled(at(concat.input), kept, node.origin);
    return add(ia::LocalAggregate{input, ia::Paste{node.type.key}}, node.type, ia::ByDims{kept},
               node.origin);
  }

  /// Cuts into the boxes that both grids share, moves them, pastes them; a step that changes
  /// nothing is left out.
  ia::NodeId translate(const tra::Node& node, const tra::Repartition& repartition) {
    ia::NodeId boxes = at(repartition.input);
    const std::vector<tra::KeyDim> fine = refined(to_.at(boxes).type.key, repartition.key);
    const std::vector<std::string> labels = labels_of(repartition.key);
    if (fine != to_.at(boxes).type.key) {
      tra::RelationType type = node.type;
      type.key = fine;
      boxes =
          add(ia::LocalMap{boxes, ia::Cut{fine}}, std::move(type), ia::ByDims{labels}, node.origin);
    }
    if (fine == repartition.key) {
      return boxes;
    }
    if (to_.num_sites > 1) {
      boxes = add(ia::Shuf{boxes, labels}, to_.at(boxes).type, ia::ByDims{labels}, node.origin);
    }
    return add(ia::LocalAggregate{boxes, ia::Paste{repartition.key}}, node.type, ia::ByDims{labels},
               node.origin);
  }

  const tra::Graph& from_;
  ia::Graph to_;
  std::vector<ia::NodeId> node_of_;
};

}  // namespace

ia::Graph to_ia(const tra::Graph& graph, int64_t num_sites) {
  return Translation(graph, num_sites).run();
}

}  // namespace tessera::optimizer
