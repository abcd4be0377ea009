// Long because there is a function for every operator of the algebra, and their shared parts.
#include "ir/tra/infer.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/overload.h"
#include "expr/table_gather.h"
#include "ir/tra/infer_kernel.h"
#include "ir/tra/presence.h"
#include "types/shape.h"

namespace tessera::tra {

namespace {

/// Returns the grid that cuts the modes with this label, or null if no dense key dimension does.
const ModeGrid* grid_of(const RelationType& type, const std::string& label) {
  const int dim = find_key_dim(type.key, label);
  return dim < 0 ? nullptr : grid_of(type.key[static_cast<size_t>(dim)]);
}

void check_distinct_labels(const std::vector<KeyDim>& key, const char* op) {
  std::set<std::string> seen;
  for (const KeyDim& dim : key) {
    TESSERA_USER_CHECK(seen.insert(label_of(dim)).second, "{}: key label {} stands twice", op,
                       label_of(dim));
  }
}

/// Removes the cut of a key dimension from its modes. Every tile then has the length of a piece, so
/// all must be equal.
void forget_cut(RelationType& type, const KeyDim& dim, const char* op) {
  const ModeGrid* grid = grid_of(dim);
  TESSERA_USER_CHECK(windows_of(dim) == nullptr,
                     "{}: dimension {} counts windows, which only a join reads", op, label_of(dim));
  for (Column& column : type.columns) {
    for (Mode& mode : column.modes) {
      if (grid != nullptr && mode.label == label_of(dim)) {
        mode.extent = uniform_length(*grid);
        TESSERA_USER_CHECK(
            mode.extent >= 0,
            "{}: the pieces of {} differ in length, so its tiles have no common shape", op,
            label_of(dim));
      }
    }
  }
}

/// Returns the word of an operator that takes arrays only; nothing if it looks at keys alone, so
/// that rows pass through unchanged.
std::optional<std::string> needs_arrays(const Op& op) {
  using Name = std::optional<std::string>;
  return std::visit(Overload{[](const Input&) -> Name { return std::nullopt; },
                             [](const Join&) -> Name { return "join"; },
                             [](const Aggregate&) -> Name { return "aggregate"; },
                             [](const Rekey&) -> Name { return std::nullopt; },
                             [](const Filter&) -> Name { return std::nullopt; },
                             [](const Transform&) -> Name { return "transform"; },
                             [](const Tile&) -> Name { return "tile"; },
                             [](const Concat&) -> Name { return "concat"; },
                             [](const Repartition&) -> Name { return "repartition"; },
                             [](const Scan&) -> Name { return "scan"; }},
                    op);
}

void refuse_rows(const Op& op, const Relations& relations) {
  const std::optional<std::string> name = needs_arrays(op);
  for (const NodeId input : inputs_of(op)) {
    const RelationType* type = relations(input);
    if (name && type != nullptr && type->rows) {
      throw_error(ErrorKind::unsupported,
                  "{}: the tuples of %{} are rows, and only filter and rekey take rows; no kernel "
                  "does",
                  *name, input.value);
    }
  }
}

struct Inference {
  const Relations& relations;

  const RelationType& type_of(NodeId id) const {
    const RelationType* type = relations(id);
    TESSERA_USER_CHECK(type != nullptr, "there is no earlier node %{}", id.value);
    return *type;
  }

  RelationType operator()(const Input& input) const {
    throw_error(ErrorKind::internal, "the type of input {} comes with it", input.name);
  }

  RelationType operator()(const Join& join) const {
    check_distinct_labels(join.key, "join");
    TESSERA_USER_CHECK(join.match.size() == join.inputs.size(),
                       "join: {} inputs but {} lists of key labels", join.inputs.size(),
                       join.match.size());
    RelationType result{join.key, {}};
    std::vector<KernelOperand> operands;
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      const RelationType& type = type_of(join.inputs[input]);
      check_match(result, type, join.match[input], input);
      for (const Column& column : type.columns) {
        operands.push_back({&type, &column, join.match[input]});
      }
    }
    const RelationType source = join.source ? relation_of(*join.source) : RelationType{};
    if (join.source) {
      operands.push_back({&source, &source.columns.front(), {}});
    }
    check_kernel(join.kernel, operands, join.key, "join");
    check_gather(join);
    result.columns = columns_of(join.kernel);
    return result;
  }

  /// Returns a source as one tuple, of which a kernel may read any part.
  static RelationType relation_of(const SourceTensor& source) {
    Column whole{source.type.dtype, {}};
    for (const int64_t extent : source.type.shape) {
      whole.modes.push_back({"", extent});
    }
    return {{}, {std::move(whole)}};
  }

  static void check_gather(const Join& join) {
    TESSERA_USER_CHECK(!join.source || expr::table_gather_of(*join.kernel),
                       "join: a kernel with a source gathers from it, in order, where the arrays "
                       "say: o[n,e] = x1[x0[n],e]");
  }

  static void check_match(const RelationType& result, const RelationType& type,
                          const std::vector<std::string>& match, size_t input) {
    TESSERA_USER_CHECK(match.size() == type.key.size(),
                       "join: input {} has {} key dimensions but {} labels", input, type.key.size(),
                       match.size());
    for (size_t dim = 0; dim < match.size(); ++dim) {
      const int at = find_key_dim(result.key, match[dim]);
      if (at < 0) {
        TESSERA_USER_CHECK(num_keys(type.key[dim]) == 1,
                           "join: label {} of input {} has {} keys and must be in the result's key",
                           match[dim], input, num_keys(type.key[dim]));
        continue;
      }
      const KeyDim& expected = result.key[static_cast<size_t>(at)];
      if (const WindowGrid* windows = windows_of(type.key[dim])) {
        TESSERA_USER_CHECK(grid_of(expected) != nullptr &&
                               grid_of(expected)->num_pieces() == windows->num_pieces(),
                           "join: input {} has {} windows, and label {} is not cut into as many "
                           "pieces in the result",
                           input, windows->num_pieces(), match[dim]);
        continue;
      }
      TESSERA_USER_CHECK(with_label(type.key[dim], match[dim]) == expected,
                         "join: label {} is cut into {} pieces in input {} but into {} (or "
                         "elsewhere) in the result",
                         match[dim], num_keys(type.key[dim]), input, num_keys(expected));
    }
  }

  RelationType operator()(const Aggregate& aggregate) const {
    RelationType type = type_of(aggregate.input);
    TESSERA_USER_CHECK(type.columns.size() == aggregate.monoid.state.size(),
                       "aggregate: {} merges {} arrays but a tuple has {}", aggregate.monoid.name,
                       aggregate.monoid.state.size(), type.columns.size());
    std::vector<KeyDim> key;
    for (const std::string& label : aggregate.keep) {
      const int dim = find_key_dim(type.key, label);
      TESSERA_USER_CHECK(dim >= 0, "aggregate: there is no key dimension {}", label);
      key.push_back(type.key[static_cast<size_t>(dim)]);
    }
    check_distinct_labels(key, "aggregate");
    for (const DenseDim& coarse : aggregate.coarser) {
      KeyDim& dim = key[static_cast<size_t>(find_kept(key, coarse.label))];
      check_coarser(type, dim, coarse);
      dim = coarse;
    }
    for (const KeyDim& dim : type.key) {
      if (std::find(aggregate.keep.begin(), aggregate.keep.end(), label_of(dim)) ==
          aggregate.keep.end()) {
        forget_cut(type, dim, "aggregate");
      }
    }
    type.key = std::move(key);
    return type;
  }

  static int find_kept(const std::vector<KeyDim>& key, const std::string& label) {
    const int dim = find_key_dim(key, label);
    TESSERA_USER_CHECK(dim >= 0, "aggregate: dimension {} is not kept", label);
    return dim;
  }

  /// Checks that an aggregate does not merge tuples of several pieces of a mode.
  static void check_coarser(const RelationType& from, const KeyDim& fine, const DenseDim& coarse) {
    const ModeGrid* pieces = grid_of(fine);
    TESSERA_USER_CHECK(pieces != nullptr, "aggregate: dimension {} counts no pieces", coarse.label);
    TESSERA_USER_CHECK(refines(*pieces, *coarse.grid),
                       "aggregate: the {} pieces of dimension {} do not make up the {} of `keep`",
                       pieces->num_pieces(), coarse.label, coarse.grid->num_pieces());
    TESSERA_USER_CHECK(!has_mode(from, coarse.label),
                       "aggregate: mode {} is cut, so that tuples of several of its pieces cannot "
                       "be merged",
                       coarse.label);
  }

  RelationType operator()(const Rekey& rekey) const {
    const RelationType& from = type_of(rekey.input);
    RelationType type = from;
    type.key.clear();
    std::set<std::string> kept;  // dense dimensions that stay dense
    for (const KeyExpression& expression : rekey.key) {
      type.key.push_back(key_dim_of(expression, from, kept));
    }
    check_distinct_labels(type.key, "rekey");
    for (const KeyDim& dim : from.key) {
      if (kept.count(label_of(dim)) == 0) {
        forget_cut(type, dim, "rekey");
      }
    }
    return type;
  }

  /// Returns a new key dimension. A dimension that is only moved stays dense; a computed one is the
  /// user's own integer from then on.
  static KeyDim key_dim_of(const KeyExpression& expression, const RelationType& from,
                           std::set<std::string>& kept) {
    int64_t smallest = expression.offset;
    int64_t largest = expression.offset;
    for (const KeyExpression::Term& term : expression.terms) {
      const int dim = find_key_dim(from.key, term.label);
      TESSERA_USER_CHECK(dim >= 0, "rekey: there is no key dimension {}", term.label);
      const int64_t last = term.coefficient * (num_keys(from.key[static_cast<size_t>(dim)]) - 1);
      (last < 0 ? smallest : largest) += last;
    }
    TESSERA_USER_CHECK(smallest >= 0, "rekey: key {} would reach {}", expression.label, smallest);
    const bool moved = expression.terms.size() == 1 && expression.terms[0].coefficient == 1 &&
                       expression.offset == 0 && expression.terms[0].label == expression.label;
    if (moved) {
      kept.insert(expression.label);
      return from.key[static_cast<size_t>(find_key_dim(from.key, expression.label))];
    }
    return BareDim{expression.label, largest + 1};
  }

  RelationType operator()(const Filter& filter) const {
    const RelationType& type = type_of(filter.input);
    TESSERA_USER_CHECK(!filter.predicate.nodes.empty() && filter.predicate.dtype() == DType::b1,
                       "filter: the predicate is not boolean");
    for (const expr::Node& node : filter.predicate.nodes) {
      const auto* index = std::get_if<expr::IndexOf>(&node.op);
      TESSERA_USER_CHECK(index == nullptr || static_cast<size_t>(index->label) < type.key.size(),
                         "filter: the predicate reads key dimension {} of {}", index->label,
                         type.key.size());
    }
    return type;
  }

  RelationType operator()(const Transform& transform) const {
    const RelationType& from = type_of(transform.input);
    std::vector<std::string> labels;
    for (const KeyDim& dim : from.key) {
      labels.push_back(label_of(dim));
    }
    std::vector<KernelOperand> operands;
    for (const Column& column : from.columns) {
      operands.push_back({&from, &column, labels});
    }
    check_kernel(transform.kernel, operands, from.key, "transform");
    return {from.key, columns_of(transform.kernel)};
  }

  RelationType operator()(const Tile& tile) const {
    RelationType type = type_of(tile.input);
    TESSERA_USER_CHECK(find_key_dim(type.key, tile.dim.label) < 0, "tile: mode {} is cut already",
                       tile.dim.label);
    for (const Column& column : type.columns) {
      const auto found =
          std::find_if(column.modes.begin(), column.modes.end(),
                       [&](const Mode& mode) { return mode.label == tile.dim.label; });
      TESSERA_USER_CHECK(found != column.modes.end(), "tile: the tiles have no mode {}",
                         tile.dim.label);
      TESSERA_USER_CHECK(found->extent == tile.dim.grid->extent(),
                         "tile: mode {} has {} but the cuts end at {}", tile.dim.label,
                         found->extent, tile.dim.grid->extent());
    }
    type.key.emplace_back(tile.dim);
    return type;
  }

  RelationType operator()(const Concat& concat) const {
    RelationType type = type_of(concat.input);
    TESSERA_USER_CHECK(grid_of(type, concat.label) != nullptr,
                       "concat: {} is not a key dimension that counts pieces", concat.label);
    type.key.erase(type.key.begin() + find_key_dim(type.key, concat.label));
    return type;
  }

  RelationType operator()(const Repartition& repartition) const {
    RelationType type = type_of(repartition.input);
    TESSERA_USER_CHECK(type.key.size() == repartition.key.size(),
                       "repartition: the key has {} dimensions, not {}", type.key.size(),
                       repartition.key.size());
    for (size_t dim = 0; dim < type.key.size(); ++dim) {
      TESSERA_USER_CHECK(windows_of(type.key[dim]) == nullptr,
                         "repartition: dimension {} counts windows, of which no pieces are made",
                         label_of(type.key[dim]));
      TESSERA_USER_CHECK(is_same_mode(type.key[dim], repartition.key[dim]),
                         "repartition: key dimension {} is not {} cut otherwise",
                         label_of(repartition.key[dim]), label_of(type.key[dim]));
    }
    type.key = repartition.key;
    return type;
  }

  /// True if a dimension counts pieces of a mode, and another pieces or windows of the same one.
  static bool is_same_mode(const KeyDim& from, const KeyDim& to) {
    const ModeGrid* pieces = grid_of(from);
    if (pieces == nullptr) {
      return from == to;
    }
    return std::visit(
        Overload{[&](const DenseDim& others) {
                   return others.label == label_of(from) &&
                          others.grid->extent() == pieces->extent();
                 },
                 [&](const WindowDim& windows) { return windows.label == label_of(from); },
                 [](const BareDim&) { return false; }},
        to);
  }

  RelationType operator()(const Scan& scan) const {
    const RelationType& type = type_of(scan.input);
    TESSERA_USER_CHECK(find_key_dim(type.key, scan.along) >= 0,
                       "scan: there is no key dimension {}", scan.along);
    TESSERA_USER_CHECK(!has_mode(type, scan.along),
                       "scan: mode {} is cut, so that tuples of several of its pieces cannot be "
                       "merged",
                       scan.along);
    TESSERA_USER_CHECK(type.columns.size() == scan.monoid.state.size(),
                       "scan: {} merges {} arrays but a tuple has {}", scan.monoid.name,
                       scan.monoid.state.size(), type.columns.size());
    if (!has_all(type.present)) {
      throw_error(ErrorKind::unsupported,
                  "scan: tuples of %{} are absent, and no scan leaves any out", scan.input.value);
    }
    if (scan.walks()) {
      check_steps(scan, type);
    }
    return type;
  }

  /// Checks the kernel of a walking scan, which makes the states from the tuples that meet and the
  /// states before.
  void check_steps(const Scan& scan, const RelationType& type) const {
    TESSERA_USER_CHECK(scan.match.size() == scan.tiles.size(),
                       "scan: {} relations of tiles but {} lists of key labels", scan.tiles.size(),
                       scan.match.size());
    const Join steps = steps_of(scan, type.key);
    std::vector<KernelOperand> operands;
    for (size_t input = 0; input < steps.inputs.size(); ++input) {
      const RelationType& tiles = type_of(steps.inputs[input]);
      check_match(type, tiles, steps.match[input], input);
      for (const Column& column : tiles.columns) {
        operands.push_back({&tiles, &column, steps.match[input]});
      }
    }
    for (const Column& column : type.columns) {
      operands.push_back({&type, &column, steps.match.front()});
    }
    check_kernel(scan.kernel, operands, type.key, "scan");
    TESSERA_USER_CHECK(columns_of(scan.kernel) == type.columns,
                       "scan: the kernel makes other arrays than those that it scans");
  }
};

}  // namespace

std::vector<ArrayType> kernel_inputs(const std::vector<NodeId>& inputs,
                                     const Relations& relations) {
  std::vector<ArrayType> arrays;
  for (const NodeId input : inputs) {
    const std::vector<ArrayType> more = arrays_of(*relations(input));
    arrays.insert(arrays.end(), more.begin(), more.end());
  }
  return arrays;
}

std::vector<ArrayType> kernel_inputs(const Join& join, const Relations& relations) {
  std::vector<ArrayType> arrays = kernel_inputs(join.inputs, relations);
  if (join.source) {
    arrays.push_back(join.source->type);
  }
  return arrays;
}

std::vector<ArrayType> step_inputs(const Scan& scan, const Relations& relations) {
  std::vector<NodeId> inputs = inputs_of(scan);
  inputs.push_back(scan.input);
  return kernel_inputs(inputs, relations);
}

RelationType infer_type(const Op& op, const Relations& relations) {
  refuse_rows(op, relations);
  RelationType type = std::visit(Inference{relations}, op);
  type.present = present_of(op, type, relations);
  return type;
}

NodeId append(Graph& graph, Op op, Origin origin) {
  RelationType type = infer_type(op, relations_of(graph));
  graph.nodes.push_back({std::move(op), std::move(type), std::move(origin)});
  return NodeId(static_cast<int64_t>(graph.nodes.size()) - 1);
}

}  // namespace tessera::tra
