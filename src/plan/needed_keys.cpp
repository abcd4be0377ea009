#include "plan/needed_keys.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "ir/tra/keys.h"
#include "ir/tra/presence.h"

namespace tessera::plan {

namespace {

/// A walk through a graph from its results to its sources.
class Demand {
 public:
  explicit Demand(const ia::Graph& graph) : graph_(graph), needed_(graph.nodes.size()) {}

  std::vector<NeededKeys> run() && {
    for (const ia::Node& node : graph_.nodes) {
      for (const ia::NodeId input : ia::inputs_of(node.op)) {
        needed_[input.index()].emplace();  // its readers decide from here on
      }
    }
    for (const ia::Output& output : graph_.outputs) {
      need_all(output.node);
    }
    for (size_t node = needed_.size(); node-- > 0;) {
      type_ = &graph_.nodes[node].type;
      std::visit([&](const auto& op) { demand(op, needed_[node]); }, graph_.nodes[node].op);
    }
    return std::move(needed_);
  }

 private:
  const std::vector<tra::KeyDim>& key_of(ia::NodeId id) const { return graph_.at(id).type.key; }

  void need_all(ia::NodeId input) { needed_[input.index()].reset(); }

  void need(ia::NodeId input, Key key) {
    if (NeededKeys& keys = needed_[input.index()]) {
      keys->insert(std::move(key));
    }
  }

  // ---- one function per operator: the keys it needs of its inputs for `keys` of its own

  void demand(const ia::LocalOp& local, const NeededKeys& keys) {
    std::visit([&](const auto& op) { demand(op, keys); }, local.op);
  }
  void demand(const ia::Bcast& bcast, const NeededKeys& keys) { demand_same(bcast.input, keys); }
  void demand(const ia::Shuf& shuf, const NeededKeys& keys) { demand_same(shuf.input, keys); }

  void demand_same(ia::NodeId input, const NeededKeys& keys) {
    if (!keys) {
      return need_all(input);
    }
    for (const Key& key : *keys) {
      need(input, key);
    }
  }

  void demand(const tra::Join& join, const NeededKeys& keys) {
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      const std::vector<int> dims = tra::matched_dims(join, input);
      if (keys) {
        for (const Key& key : *keys) {
          need(join.inputs[input], tra::matched_key(key, dims));
        }
      } else if (is_diagonal(dims)) {
        demand_diagonal(join, input, dims);
      } else {
        need_all(join.inputs[input]);
      }
    }
  }

  static bool is_diagonal(const std::vector<int>& dims) {
    return std::any_of(dims.begin(), dims.end(), [&](int dim) {
      return dim >= 0 && std::count(dims.begin(), dims.end(), dim) > 1;
    });
  }

  void demand_diagonal(const tra::Join& join, size_t input, const std::vector<int>& dims) {
    std::vector<tra::KeyRange> ranges;  // for one key: the input lacks these dimensions
    for (size_t dim = 0; dim < join.key.size(); ++dim) {
      const bool is_read = std::find(dims.begin(), dims.end(), static_cast<int>(dim)) != dims.end();
      ranges.push_back({0, is_read ? tra::num_keys(join.key[dim]) : 1});
    }
    for (const Key& key : tra::Keys(ranges)) {
      need(join.inputs[input], tra::matched_key(key, dims));
    }
  }

  void demand(const tra::Input&, const NeededKeys&) {}
  void demand(const tra::Aggregate& aggregate, const NeededKeys& keys) {
    demand_merged(aggregate.input, keys);
  }
  void demand(const tra::Concat& concat, const NeededKeys& keys) {
    demand_merged(concat.input, keys);
  }
  void demand(const tra::Tile& tile, const NeededKeys& keys) { demand_whole(tile.input, keys); }
  void demand(const tra::Repartition& repartition, const NeededKeys& keys) {
    if (tra::refines(type_->key, key_of(repartition.input))) {
      demand_whole(repartition.input, keys);
    } else {
      demand_merged(repartition.input, keys);
    }
  }
  void demand(const tra::Transform& transform, const NeededKeys& keys) {
    demand_same(transform.input, keys);
  }
  /// A filter must look at all tuples to tell which it keeps.
  void demand(const tra::Filter& filter, const NeededKeys&) { need_all(filter.input); }
  /// All new keys are needed to check that they are distinct and have no gap.
  void demand(const tra::Rekey& rekey, const NeededKeys&) { need_all(rekey.input); }

  /// A scan needs all tuples before those with these keys, but never the last one.
  void demand(const tra::Scan& scan, const NeededKeys& keys) {
    const std::vector<tra::KeyDim>& key = key_of(scan.input);
    const auto along = static_cast<size_t>(tra::find_key_dim(key, scan.along));
    const bool is_forward = scan.direction == expr::Scan::Direction::forward;
    const int64_t last = is_forward ? tra::num_keys(key[along]) - 1 : 0;
    std::map<tra::Key, int64_t> ends;  // by the first key of a group: its last needed key
    const auto note = [&](const tra::Key& wanted) {
      tra::Key group = wanted;
      group[along] = 0;
      const auto [end, is_new] = ends.emplace(std::move(group), wanted[along]);
      end->second =
          is_forward ? std::max(end->second, wanted[along]) : std::min(end->second, wanted[along]);
    };
    if (keys) {
      std::for_each(keys->begin(), keys->end(), note);
    } else {
      std::vector<tra::KeyRange> ranges;
      for (const tra::KeyDim& dim : key) {
        ranges.push_back({0, tra::num_keys(dim)});
      }
      ranges[along] = {last, last + 1};
      const tra::Keys all(std::move(ranges));
      std::for_each(all.begin(), all.end(), note);
    }
    NeededKeys before(std::in_place);
    for (const auto& [group, end] : ends) {
      const tra::KeyRange range =
          is_forward ? tra::KeyRange{0, end} : tra::KeyRange{end + 1, tra::num_keys(key[along])};
      tra::Key one = group;
      for (one[along] = range.begin; one[along] < range.end; ++one[along]) {
        before->insert(one);
      }
    }
    demand(tra::steps_of(scan, key), before);
  }

  /// Demands all tuples that become part of those with these keys.
  void demand_merged(ia::NodeId input, const NeededKeys& keys) {
    if (!keys) {
      return need_all(input);
    }
    for (const Key& key : *keys) {
      for (const Key& part : tra::parts_of(key, type_->key, key_of(input))) {
        need(input, part);
      }
    }
  }

  /// Demands the tuples that those with these keys are pieces of.
  void demand_whole(ia::NodeId input, const NeededKeys& keys) {
    if (!keys) {
      return need_all(input);
    }
    const tra::Coarsening whole_of(type_->key, key_of(input));
    for (const Key& key : *keys) {
      need(input, whole_of(key));
    }
  }

  const ia::Graph& graph_;
  const tra::RelationType* type_ = nullptr;  // of the current node
  std::vector<NeededKeys> needed_;
};

}  // namespace

std::vector<NeededKeys> needed_keys(const ia::Graph& graph) {
  return Demand(graph).run();
}

}  // namespace tessera::plan
