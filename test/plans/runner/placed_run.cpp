#include "plans/runner/placed_run.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/error.h"
#include "types/native.h"

namespace tessera::plans {

namespace {

/// The numbers that a key has for some labels.
Key projected(const tra::RelationType& type, const Key& key,
              const std::vector<std::string>& labels) {
  Key result;
  for (const std::string& label : labels) {
    result.push_back(key[static_cast<size_t>(tra::find_key_dim(type.key, label))]);
  }
  return result;
}

/// The sites that a placement names for a tuple; nothing where it is to be on every site, or where
/// that is left open.
using NamedSites = std::optional<std::set<size_t>>;

std::set<size_t> named(std::span<const int32_t> sites, const tra::RelationType& type,
                       const Key& key, size_t num_sites) {
  std::set<size_t> result;
  for (const int32_t site : sites) {
    if (site >= 0) {
      result.insert(static_cast<size_t>(site) % num_sites);
    }
  }
  TESSERA_CHECK(!result.empty(), "its table has no site for the tuple {}",
                tra::to_string(key, type.key));
  return result;
}

NamedSites sites_of(const ia::Placement& placement, const tra::RelationType& type, const Key& key,
                    size_t num_sites) {
  if (const auto* table = std::get_if<ia::ByTable>(&placement)) {
    return named({&(*table->sites)[tra::number_of(key, type.key)], 1}, type, key, num_sites);
  }
  if (const auto* copies = std::get_if<ia::ByCopies>(&placement)) {
    return named(copies->sites->of(tra::number_of(key, type.key)), type, key, num_sites);
  }
  const auto* map = std::get_if<ia::ByMap>(&placement);
  if (map == nullptr) {
    return std::nullopt;
  }
  int64_t site = 0;
  for (const ia::SiteTerm& term : map->terms) {
    const int64_t number = projected(type, key, {term.label})[0] / term.block;
    site += term.stride * (term.cycle == 0 ? number : number % term.cycle);
  }
  return std::set<size_t>{static_cast<size_t>(site) % num_sites};
}

/// The tuples of all sites.
Tuples gathered(const PlacedTuples& tuples) {
  Tuples all;
  for (const Tuples& site : tuples) {
    all.insert(site.begin(), site.end());
  }
  return all;
}

class Interpretation {
 public:
  Interpretation(const ia::Graph& graph, const Case& each, int64_t num_sites)
      : graph_(graph), case_(each), num_sites_(static_cast<size_t>(num_sites)) {}

  std::vector<PlacedTuples> run() && {
    for (const ia::Node& node : graph_.nodes) {
      node_ = &node;
      try {
        made_.push_back(std::visit([&](const auto& op) { return run(op); }, node.op));
        check_placement(made_.back());
      } catch (Error& error) {
        error.add_context(fmt::format("at node %{} ({}) of the placed program",
                                      &node - graph_.nodes.data(), node.origin.statement));
        throw;
      }
    }
    return std::move(made_);
  }

 private:
  const PlacedTuples& at(tra::NodeId id) const { return made_[id.index()]; }
  const tra::RelationType& type_of(tra::NodeId id) const { return graph_.at(id).type; }
  const std::vector<tra::KeyDim>& dims() const { return node_->type.key; }

  /// Applies a function to the tuples of every site.
  template <class Local>
  PlacedTuples on_each_site(tra::NodeId input, Local local) const {
    PlacedTuples result;
    for (const Tuples& tuples : at(input)) {
      result.push_back(local(tuples));
    }
    return result;
  }

  void check_placement(const PlacedTuples& tuples) const {
    if (std::holds_alternative<ia::Undecided>(node_->placement)) {
      return;
    }
    for (const auto& [key, tuple] : gathered(tuples)) {
      for (size_t site = 0; site < tuples.size(); ++site) {
        const bool is_there = tuples[site].count(key) == 1;
        TESSERA_CHECK(is_there == is_wanted(key, site),
                      "the tuple {} {} on site {}, but its placement says otherwise",
                      tra::to_string(key, dims()), is_there ? "is" : "is not", site);
      }
    }
  }

  /// Whether the node's placement puts the tuple with this key on a site.
  bool is_wanted(const Key& key, size_t site) const {
    const NamedSites only = sites_of(node_->placement, node_->type, key, num_sites_);
    return !only || only->count(site) == 1;
  }

  /// Puts a tuple where the node's placement says.
  void place(PlacedTuples& result, const Key& key, const Tuple& tuple) const {
    for (size_t site = 0; site < num_sites_; ++site) {
      if (is_wanted(key, site)) {
        result[site].emplace(key, tuple);
      }
    }
  }

  PlacedTuples moved(tra::NodeId input) const {
    PlacedTuples result(num_sites_);
    for (const Tuples& site : at(input)) {
      for (const auto& [key, tuple] : site) {
        place(result, key, tuple);
      }
    }
    return result;
  }

  PlacedTuples run(const ia::Bcast& bcast) const { return moved(bcast.input); }
  PlacedTuples run(const ia::Shuf& shuf) const { return moved(shuf.input); }
  PlacedTuples run(const ia::LocalOp& local) const {
    PlacedTuples made = std::visit([&](const auto& op) { return run(op); }, local.op);
    const std::vector<tra::NodeId> inputs = tra::inputs_of(local.op);
    if (local.at || std::any_of(inputs.begin(), inputs.end(), [&](tra::NodeId input) {
          return std::holds_alternative<ia::ByCopies>(graph_.at(input).placement);
        })) {
      leave_wanted(made);
    }
    return made;
  }

  /// Where there are copies, a site may have some or all of what a tuple is made from, and yet not
  /// be one that is to make it.
  void leave_wanted(PlacedTuples& made) const {
    for (size_t site = 0; site < made.size(); ++site) {
      std::erase_if(made[site], [&](const auto& tuple) { return !is_wanted(tuple.first, site); });
    }
  }

  PlacedTuples run(const tra::Input& input) const {
    const Tensor tensor = input_of(case_, input.name, whole_type());
    PlacedTuples result(num_sites_);
    for (const Key& key : tra::all_keys(dims())) {
      if (tra::has_key(node_->type.present, key) == false) {
        continue;
      }
      Array array = new_array(tensor->type().dtype, box_of(node_->type, 0, key));
      tensor->read(array.view());
      place(result, key, {std::move(array)});
    }
    return result;
  }

  /// The type of the tensor that an input reads.
  ArrayType whole_type() const {
    ArrayType type{node_->type.columns[0].dtype, {}};
    for (const tra::Mode& mode : node_->type.columns[0].modes) {
      type.shape.push_back(mode.extent);
    }
    return type;
  }

  PlacedTuples run(const tra::Join& join) const {
    PlacedTuples result(num_sites_);
    for (const Key& key : tra::all_keys(join.key)) {
      for (size_t site = 0; site < num_sites_; ++site) {
        // What reads nothing can be made anywhere, so it is made where it is to be.
        const bool is_here = !join.inputs.empty() || is_wanted(key, site);
        std::optional<Tuple> inputs = meeting(join, key, site);
        if (inputs && is_here) {
          if (join.source) {
            inputs->push_back(whole_source(*join.source));
          }
          result[site].emplace(key, computed(join.kernel, *inputs, join.key, key, node_->type));
        }
      }
    }
    return result;
  }

  /// All of a source, which every site may read.
  Array whole_source(const tra::SourceTensor& source) const {
    const Tensor tensor = input_of(case_, source.name, source.type);
    Array array = new_array(source.type.dtype, whole(source.type.shape));
    tensor->read(array.view());
    return array;
  }

  /// The arrays of a site's tuples that meet under a key; nothing where one is not there.
  std::optional<Tuple> meeting(const tra::Join& join, const Key& key, size_t site) const {
    Tuple arrays;
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      Key wanted;
      for (const std::string& label : join.match[input]) {
        const int dim = tra::find_key_dim(join.key, label);
        wanted.push_back(dim < 0 ? 0 : key[static_cast<size_t>(dim)]);
      }
      const auto found = at(join.inputs[input])[site].find(wanted);
      if (found == at(join.inputs[input])[site].end()) {
        return std::nullopt;
      }
      arrays.insert(arrays.end(), found->second.begin(), found->second.end());
    }
    return arrays;
  }

  /// One after the other in key order: with exact numbers a tree gives the same.
  PlacedTuples run(const tra::Aggregate& aggregate) const {
    const expr::TileProgram combine =
        expr::combine_program(aggregate.monoid, labels_of(node_->type.columns.front()));
    const tra::Coarsening group_of(type_of(aggregate.input).key, node_->type.key);
    return on_each_site(aggregate.input, [&](const Tuples& tuples) {
      Tuples result;
      for (const auto& [key, tuple] : tuples) {
        const Key group = group_of(key);
        Tuple part = placed_as(tuple, node_->type, group);
        const auto before = result.find(group);
        if (before == result.end()) {
          result.emplace(group, std::move(part));
          continue;
        }
        Tuple both = before->second;
        both.insert(both.end(), part.begin(), part.end());
        before->second = computed(combine, both, dims(), group, node_->type);
      }
      return result;
    });
  }

  /// For every tuple the identity merged with all tuples before it, anew for each.
  PlacedTuples run(const tra::Scan& scan) const {
    const std::vector<expr::LabelDecl> labels = labels_of(node_->type.columns.front());
    const expr::TileProgram combine = expr::combine_program(scan.monoid, labels);
    const expr::TileProgram identity = identity_of(scan.monoid, labels);
    const auto along = static_cast<size_t>(tra::find_key_dim(dims(), scan.along));
    PlacedTuples result(num_sites_);
    for (const Key& key : tra::all_keys(dims())) {
      for (size_t site = 0; site < num_sites_; ++site) {
        if (!is_wanted(key, site)) {
          continue;
        }
        Tuple merged = computed(identity, {}, dims(), key, node_->type);
        for (const Key& before : keys_before(key, along, scan.direction)) {
          if (scan.walks()) {
            merged = behind(scan, before, std::move(merged));
            continue;
          }
          const Tuple& tuple = at(scan.input)[site].at(before);
          merged.insert(merged.end(), tuple.begin(), tuple.end());
          merged = computed(combine, merged, dims(), key, node_->type);
        }
        result[site].emplace(key, std::move(merged));
      }
    }
    return result;
  }

  /// The states behind a tile, computed on the first site that has it; states pass between sites.
  Tuple behind(const tra::Scan& scan, const Key& key, Tuple before) const {
    const tra::Join steps = tra::steps_of(scan, dims());
    std::optional<Tuple> inputs;
    for (size_t site = 0; site < num_sites_ && !inputs; ++site) {
      inputs = meeting(steps, key, site);
    }
    inputs->insert(inputs->end(), before.begin(), before.end());
    return computed(scan.kernel, *inputs, dims(), key, node_->type);
  }

  static std::vector<expr::LabelDecl> labels_of(const tra::Column& column) {
    std::vector<expr::LabelDecl> labels;
    for (const tra::Mode& mode : column.modes) {
      labels.push_back({mode.label, mode.extent});
    }
    return labels;
  }

  static expr::TileProgram identity_of(const expr::Monoid& monoid,
                                       const std::vector<expr::LabelDecl>& labels) {
    expr::TileStatement statement;
    for (size_t label = 0; label < labels.size(); ++label) {
      statement.out.push_back(static_cast<expr::LabelNumber>(label));
    }
    for (size_t entry = 0; entry < monoid.state.size(); ++entry) {
      expr::ScalarBuilder builder;
      statement.bodies.push_back(
          builder.finish(builder.constant(monoid.identity[entry], monoid.state[entry])));
    }
    return {labels, 0, {std::move(statement)}};
  }

  /// In the order of the scan.
  std::vector<Key> keys_before(const Key& key, size_t along,
                               expr::Scan::Direction direction) const {
    const bool is_forward = direction == expr::Scan::Direction::forward;
    const int64_t last = is_forward ? 0 : tra::num_keys(dims()[along]) - 1;
    std::vector<Key> keys;
    Key before = key;
    for (before[along] = last; before[along] != key[along]; before[along] += is_forward ? 1 : -1) {
      keys.push_back(before);
    }
    return keys;
  }

  PlacedTuples run(const tra::Rekey& rekey) const {
    return on_each_site(rekey.input, [&](const Tuples& tuples) {
      Tuples result;
      for (const auto& [key, tuple] : tuples) {
        const Key renamed = renamed_key(type_of(rekey.input), key, rekey.key);
        const bool is_new = result.emplace(renamed, placed_as(tuple, node_->type, renamed)).second;
        TESSERA_USER_CHECK(is_new, "two tuples get the key {}", tra::to_string(renamed, dims()));
      }
      return result;
    });
  }

  static Key renamed_key(const tra::RelationType& type, const Key& key,
                         const std::vector<tra::KeyExpression>& expressions) {
    Key renamed;
    for (const tra::KeyExpression& expression : expressions) {
      int64_t number = expression.offset;
      for (const tra::KeyExpression::Term& term : expression.terms) {
        number += term.coefficient * projected(type, key, {term.label})[0];
      }
      renamed.push_back(number);
    }
    return renamed;
  }

  PlacedTuples run(const tra::Filter& filter) const {
    return on_each_site(filter.input, [&](const Tuples& tuples) {
      Tuples kept;
      for (const auto& [key, tuple] : tuples) {
        if (holds(filter.predicate, key)) {
          kept.emplace(key, tuple);
        }
      }
      return kept;
    });
  }

  /// A predicate over the numbers of a key, as a program on the one point that the key is.
  bool holds(const expr::Scalar& predicate, const Key& key) const {
    expr::TileProgram program;
    expr::TileStatement statement;
    tra::RelationType point{{}, {{DType::b1, {}}}};
    for (size_t dim = 0; dim < key.size(); ++dim) {
      const std::string& label = tra::label_of(dims()[dim]);
      const int64_t extent = tra::num_keys(dims()[dim]);
      program.labels.push_back({label, extent});
      statement.out.push_back(static_cast<expr::LabelNumber>(dim));
      point.key.emplace_back(tra::DenseDim{label, cut_every(extent, 1)});
      point.columns[0].modes.push_back({label, extent});
    }
    statement.bodies = {predicate};
    program.statements = {std::move(statement)};
    return *computed(program, {}, point.key, key, point)[0].view().as<bool>();
  }

  PlacedTuples run(const tra::Transform& transform) const {
    return on_each_site(transform.input, [&](const Tuples& tuples) {
      Tuples result;
      for (const auto& [key, tuple] : tuples) {
        result.emplace(key, computed(transform.kernel, tuple, dims(), key, node_->type));
      }
      return result;
    });
  }

  PlacedTuples run(const tra::Tile& tile) const { return cut(tile.input); }
  PlacedTuples run(const tra::Concat& concat) const { return pasted(concat.input); }
  PlacedTuples run(const tra::Repartition& repartition) const {
    return tra::refines(dims(), type_of(repartition.input).key) ? cut(repartition.input)
                                                                : pasted(repartition.input);
  }

  PlacedTuples cut(tra::NodeId input) const {
    const tra::Coarsening coarser(dims(), type_of(input).key);
    return on_each_site(input, [&](const Tuples& tuples) {
      Tuples result;
      for (const Key& key : tra::all_keys(dims())) {
        const auto whole = tuples.find(coarser(key));
        if (whole == tuples.end()) {
          continue;
        }
        Tuple& pieces = result[key];
        for (size_t column = 0; column < whole->second.size(); ++column) {
          const Array& array = whole->second[column];
          pieces.push_back(new_array(array.dtype, box_of(node_->type, column, key)));
          copy_elements(subview(array.view(), pieces.back().box), pieces.back().view());
        }
      }
      return result;
    });
  }

  PlacedTuples pasted(tra::NodeId input) const {
    size_t site = 0;
    return on_each_site(input, [&](const Tuples& tuples) {
      Tuples result;
      for (const Key& key : tra::all_keys(dims())) {
        if (is_wanted(key, site)) {
          paste(tuples, type_of(input).key, key, result);
        }
      }
      ++site;
      return result;
    });
  }

  /// Makes the tuple with this key of its pieces, where some are here: then all have to be.
  void paste(const Tuples& tuples, const std::vector<tra::KeyDim>& from, const Key& key,
             Tuples& result) const {
    int64_t missing = 0;  // elements
    for (const Key& part : tra::parts_of(key, dims(), from)) {
      const auto found = tuples.find(part);
      if (found == tuples.end()) {
        continue;
      }
      Tuple& whole = result[key];
      for (size_t column = 0; column < found->second.size(); ++column) {
        const Array& piece = found->second[column];
        if (whole.size() <= column) {
          whole.push_back(new_array(piece.dtype, box_of(node_->type, column, key)));
          missing += num_elements(whole.back().box.extent);
        }
        copy_elements(piece.view(), subview(whole[column].view(), piece.box));
        missing -= num_elements(piece.box.extent);
      }
    }
    TESSERA_CHECK(missing == 0, "pieces of the tile {} are not on its site",
                  tra::to_string(key, dims()));
  }

  const ia::Graph& graph_;
  const Case& case_;
  size_t num_sites_;
  const ia::Node* node_ = nullptr;
  std::vector<PlacedTuples> made_;
};

/// The tensor that a relation is; key dimensions that count no mode are its first modes.
Tensor tensor_of(const Tuples& tuples, const tra::RelationType& type) {
  std::vector<size_t> leading;
  ArrayType array{type.columns[0].dtype, {}};
  for (size_t dim = 0; dim < type.key.size(); ++dim) {
    const auto& modes = type.columns[0].modes;
    const bool counts = std::holds_alternative<tra::DenseDim>(type.key[dim]) &&
                        std::any_of(modes.begin(), modes.end(), [&](const tra::Mode& mode) {
                          return mode.label == tra::label_of(type.key[dim]);
                        });
    if (!counts) {
      leading.push_back(dim);
      array.shape.push_back(tra::num_keys(type.key[dim]));
    }
  }
  for (const tra::Mode& mode : type.columns[0].modes) {
    array.shape.push_back(mode.extent);
  }
  auto tensor = std::make_shared<store::MemoryTensor>(array);
  for (const Key& key : tra::all_keys(type.key)) {
    const auto found = tuples.find(key);
    TESSERA_USER_CHECK(found != tuples.end(), "a result has no tuple {}",
                       tra::to_string(key, type.key));
    Box box = found->second[0].box;
    for (size_t number = leading.size(); number-- > 0;) {
      box.origin.insert(box.origin.begin(), key[leading[number]]);
      box.extent.insert(box.extent.begin(), 1);
    }
    tensor->write(dense_view(found->second[0].bytes->data(), array.dtype, box));
  }
  return tensor;
}

}  // namespace

std::vector<PlacedTuples> interpreted(const ia::Graph& graph, const Case& each, int64_t num_sites) {
  return Interpretation(graph, each, num_sites).run();
}

Results run_placed(const ia::Graph& graph, const Case& each) {
  const std::vector<PlacedTuples> on_sites = interpreted(graph, each, graph.num_sites);
  const std::vector<PlacedTuples> on_one = interpreted(graph, each, 1);
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    const Tuples seen = gathered(on_sites[node]);
    for (const auto& [key, tuple] : on_one[node][0]) {
      const auto found = seen.find(key);
      const std::string what = tra::to_string(key, graph.nodes[node].type.key);
      TESSERA_CHECK(found != seen.end(),
                    "node %{} ({}) lacks the tuple {} on {} sites: what it reads lies apart", node,
                    graph.nodes[node].origin.statement, what, graph.num_sites);
      TESSERA_CHECK(found->second == tuple, "node %{} ({}) computes another tuple {} on {} sites",
                    node, graph.nodes[node].origin.statement, what, graph.num_sites);
    }
    TESSERA_CHECK(seen.size() == on_one[node][0].size(), "node %{} has more tuples on {} sites",
                  node, graph.num_sites);
  }
  Results results;
  for (const tra::Output& output : graph.outputs) {
    results[output.name] = tensor_of(on_one[output.node.index()][0], graph.at(output.node).type);
  }
  return results;
}

}  // namespace tessera::plans
