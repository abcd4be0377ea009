#include "ir/ia/shared_sites.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "ir/tra/keys.h"
#include "ir/tra/part_lists.h"
#include "ir/tra/presence.h"

namespace tessera::ia {

namespace {

using KeySpace = std::vector<tra::KeyDim>;

/// The sites that have all inputs of a tuple, by number of the key.
class SharedSites {
 public:
  SharedSites(const Graph& graph, const tra::Op& op, const tra::RelationType& type)
      : graph_(graph),
        type_(type),
        num_keys_(tra::all_keys(type.key).size()),
        is_bound_(num_keys_, false) {
    std::visit(*this, op);
    std::vector<int32_t> sites;
    for (size_t number = 0; number < num_keys_; ++number) {
      sites.clear();
      for (const Operand& operand : operands_) {
        for (const int64_t part : operand.parts.of(number)) {
          meet(operand.sets.of(static_cast<size_t>(part)), number, sites);
        }
      }
      shared_.add(sites);
    }
  }

  /// Returns the placement on all possible sites.
  OrRefusal<Placement> everywhere() && {
    for (size_t number = 0; number < num_keys_; ++number) {
      if (is_bound_[number] && shared_.of(number).empty()) {
        return Refusal{fmt::format("tuples that meet are apart: for key {} no site has all of them",
                                   key_text(number))};
      }
    }
    return copied(std::move(shared_), graph_.num_sites);
  }

  OrRefusal<Placement> at(const Placement& placement) const {
    const std::vector<int32_t> sites = sites_of(placement, type_.key, graph_.num_sites);
    for (size_t number = 0; number < num_keys_; ++number) {
      const std::span<const int32_t> shared = shared_.of(number);
      if (sites[number] == kNowhere) {
        if (is_present(number)) {
          return Refusal{fmt::format("no site is named for key {}", key_text(number))};
        }
      } else if (is_bound_[number] &&
                 !std::binary_search(shared.begin(), shared.end(), sites[number])) {
        return Refusal{fmt::format("site {} is named for key {}, but lacks tuples that meet there",
                                   sites[number], key_text(number))};
      }
    }
    return placement;
  }

  // ---- one function per operator: the inputs of each of its tuples

  void operator()(const tra::Input& input) const {
    throw_error(ErrorKind::internal, "the placement of input {} comes with it", input.name);
  }
  void operator()(const tra::Filter& filter) { stays(filter.input); }
  void operator()(const tra::Transform& transform) { stays(transform.input); }
  void operator()(const tra::Aggregate& aggregate) { merged(aggregate.input); }
  void operator()(const tra::Concat& concat) { merged(concat.input); }
  void operator()(const tra::Tile& tile) { cut(tile.input); }
  void operator()(const tra::Repartition& repartition) {
    const bool is_cut = tra::refines(type_.key, key_of(repartition.input));
    is_cut ? cut(repartition.input) : merged(repartition.input);
  }
  void operator()(const tra::Join& join) {
    for (size_t number = 0; number < join.inputs.size(); ++number) {
      const NodeId input = join.inputs[number];
      add(input, [&] {
        return tra::PartLists::one_each(
            tra::matched_numbers(type_.key, tra::matched_dims(join, number), key_of(input)));
      });
    }
  }
  void operator()(const tra::Scan& scan) {
    if (scan.walks()) {
      return (*this)(tra::steps_of(scan, type_.key));
    }
    add(scan.input, [&] {
      const KeySpace& key = key_of(scan.input);
      const KeySpace groups = tra::key_without(key, scan.along);
      return tra::PartLists::shared(tra::Coarsening(key, groups).numbers(),
                                    tra::merged_keys(key, scan),
                                    static_cast<size_t>(tra::num_keys(groups)));
    });
  }
  void operator()(const tra::Rekey& rekey) {
    add(rekey.input, [&] {
      return tra::PartLists::grouped(tra::mapped_numbers(key_of(rekey.input), rekey.key, type_.key),
                                     num_keys_);
    });
  }

 private:
  const KeySpace& key_of(NodeId id) const { return graph_.at(id).type.key; }
  bool is_present(size_t number) const {
    const tra::KeySet& present = type_.present;
    return tra::has_all(present) || tra::has_key(present, tra::key_at(number, type_.key)) == true;
  }

  std::string key_text(size_t number) const {
    return tra::to_string(tra::key_at(number, type_.key), type_.key);
  }

  void stays(NodeId input) {
    add(input, [&] {
      std::vector<int64_t> numbers(num_keys_);
      std::iota(numbers.begin(), numbers.end(), int64_t{0});
      return tra::PartLists::one_each(std::move(numbers));
    });
  }
  void cut(NodeId input) {
    add(input, [&] {
      return tra::PartLists::one_each(tra::Coarsening(type_.key, key_of(input)).numbers());
    });
  }
  void merged(NodeId input) {
    add(input, [&] { return tra::PartLists::merged(key_of(input), type_.key); });
  }

  /// Adds an input that is not everywhere.
  template <class PartsOf>
  void add(NodeId input, PartsOf parts_of) {
    if (!is_everywhere(graph_.at(input).placement)) {
      operands_.push_back(
          {site_sets_of(graph_.at(input).placement, key_of(input), graph_.num_sites), parts_of()});
    }
  }

  /// Intersects a tuple's sites with those of one more part; a part without sites does not count.
  void meet(std::span<const int32_t> of_part, size_t number, std::vector<int32_t>& sites) {
    if (of_part.empty()) {
      return;
    }
    if (!is_bound_[number]) {
      is_bound_[number] = true;
      sites.assign(of_part.begin(), of_part.end());
      return;
    }
    size_t num_left = 0;
    auto other = of_part.begin();
    for (const int32_t site : sites) {
      other = std::find_if(other, of_part.end(), [&](int32_t each) { return each >= site; });
      if (other != of_part.end() && *other == site) {
        sites[num_left++] = site;
      }
    }
    sites.resize(num_left);
  }

  /// An input's placement, and the input tuples of every tuple.
  struct Operand {
    SiteSets sets;
    tra::PartLists parts;
  };

  const Graph& graph_;
  const tra::RelationType& type_;
  size_t num_keys_;
  std::vector<bool> is_bound_;  // some input is not everywhere
  std::vector<Operand> operands_;
  SiteSets shared_;
};

}  // namespace

OrRefusal<Placement> placement_by_sites(const Graph& graph, const LocalOp& local,
                                        const tra::RelationType& type) {
  SharedSites shared(graph, local.op, type);
  return local.at ? shared.at(*local.at) : std::move(shared).everywhere();
}

}  // namespace tessera::ia
