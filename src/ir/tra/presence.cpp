#include "ir/tra/presence.h"

#include <algorithm>
#include <utility>

#include "ir/tra/key_interval.h"
#include "ir/tra/key_predicate.h"
#include "ir/tra/keys.h"

namespace tessera::tra {

namespace {

/// Returns true if both hold; false as soon as one surely does not.
std::optional<bool> both(std::optional<bool> a, std::optional<bool> b) {
  if (a == std::optional(false) || b == std::optional(false)) {
    return false;
  }
  return a && b ? std::optional(true) : std::nullopt;
}

/// Returns true if one holds; nothing if one is unknown.
std::optional<bool> either(std::optional<bool> a, std::optional<bool> b) {
  return a && b ? std::optional(*a || *b) : std::nullopt;
}

struct Presence {
  const RelationType& type;
  const Relations& relations;

  const RelationType& type_of(NodeId id) const { return *relations(id); }

  /// Makes a set of keys. REQUIRES keys of the type's key space.
  KeySet listed(std::set<Key> keys) const {
    if (static_cast<int64_t>(keys.size()) == num_keys(type.key)) {
      return AllKeys{};
    }
    return ListedKeys{std::move(keys)};
  }

  /// Returns the keys for which every answer is known and yes; unknown if one is not.
  template <class Has>
  KeySet those_that(Has has) const {
    std::set<Key> keys;
    for (const Key& key : all_keys(type.key)) {
      const std::optional<bool> is_present = has(key);
      if (!is_present) {
        return UnknownKeys{};
      }
      if (*is_present) {
        keys.insert(keys.end(), key);
      }
    }
    return listed(std::move(keys));
  }

  /// Maps the keys of an input that has listed ones.
  template <class Map>
  KeySet mapped(NodeId input, Map map) const {
    std::set<Key> keys;
    for (const Key& key : all_keys(type_of(input).key)) {
      const std::optional<bool> is_present = has_key(type_of(input).present, key);
      if (!is_present) {
        return UnknownKeys{};
      }
      if (*is_present) {
        keys.insert(map(key));
      }
    }
    return listed(std::move(keys));
  }

  /// Returns the tuples that an input's tuples become part of.
  KeySet merged(NodeId input) const {
    return mapped(input, Coarsening(type_of(input).key, type.key));
  }

  /// Returns the parts of an input's tuples.
  KeySet cut(NodeId input) const {
    const Coarsening whole_of(type.key, type_of(input).key);
    return those_that(
        [&](const Key& key) { return has_key(type_of(input).present, whole_of(key)); });
  }

  KeySet operator()(const Input&) const { return type.present; }

  KeySet operator()(const Join& join) const {
    std::vector<std::vector<int>> dims;
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      dims.push_back(matched_dims(join, input));
    }
    return those_that([&](const Key& key) {
      std::optional<bool> all = true;
      for (size_t input = 0; input < join.inputs.size(); ++input) {
        const KeySet& present = type_of(join.inputs[input]).present;
        all = both(all, has_key(present, matched_key(key, dims[input])));
      }
      return all;
    });
  }

  KeySet operator()(const Aggregate& aggregate) const { return merged(aggregate.input); }

  /// Two tuples with one key are detected when a plan is made.
  KeySet operator()(const Rekey& rekey) const {
    return mapped(rekey.input, [&](const Key& key) {
      return mapped_key(type_of(rekey.input).key, key, rekey.key);
    });
  }

  KeySet operator()(const Filter& filter) const {
    const KeySet& present = type_of(filter.input).present;
    return those_that([&](const Key& key) -> std::optional<bool> {
      return both(has_key(present, key), holds(filter.predicate, key));
    });
  }

  KeySet operator()(const Transform& transform) const { return type_of(transform.input).present; }
  KeySet operator()(const Scan& scan) const { return type_of(scan.input).present; }
  KeySet operator()(const Tile& tile) const { return cut(tile.input); }
  KeySet operator()(const Concat& concat) const { return merged(concat.input); }

  /// Returns the tuples that have at least one box shared by both grids: the lowering to placed
  /// relations cuts into these and merges them.
  KeySet operator()(const Repartition& repartition) const {
    const std::vector<KeyDim>& from = type_of(repartition.input).key;
    const std::vector<KeyDim> boxes = common_refinement(from, type.key);
    if (num_keys(boxes) > kMostListedKeys) {
      return UnknownKeys{};
    }
    const Coarsening whole_of(boxes, from);
    return those_that([&](const Key& key) {
      std::optional<bool> is_present = false;
      for (const Key& box : parts_of(key, type.key, boxes)) {
        is_present = either(is_present, has_key(type_of(repartition.input).present, whole_of(box)));
      }
      return is_present;
    });
  }
};

/// True if a filter provably keeps all of many keys. Few keys are looked at one by one.
bool keeps_all_of_many(const Filter& filter, const std::vector<KeyDim>& key) {
  if (num_keys(key) <= kMostListedKeys) {
    return false;
  }
  const FirstLeftOut first = first_left_out(filter.predicate, key);
  return first.is_known && !first.key;
}

}  // namespace

KeySet present_of(const Op& op, const RelationType& type, const Relations& relations) {
  const auto* filter = std::get_if<Filter>(&op);
  bool is_complete = filter == nullptr || keeps_all_of_many(*filter, type.key);
  bool is_small = num_keys(type.key) <= kMostListedKeys;
  for (const NodeId input : inputs_of(op)) {
    is_complete = is_complete && has_all(relations(input)->present);
    is_small = is_small && num_keys(relations(input)->key) <= kMostListedKeys;
  }
  if (is_complete) {
    return AllKeys{};
  }
  return is_small ? std::visit(Presence{type, relations}, op) : UnknownKeys{};
}

std::vector<int> matched_dims(const Join& join, size_t input) {
  std::vector<int> dims;
  for (const std::string& label : join.match[input]) {
    dims.push_back(find_key_dim(join.key, label));
  }
  return dims;
}

Key matched_key(const Key& key, const std::vector<int>& dims) {
  Key matched;
  for (const int dim : dims) {
    matched.push_back(dim < 0 ? 0 : key[static_cast<size_t>(dim)]);
  }
  return matched;
}

std::vector<int64_t> matched_numbers(const std::vector<KeyDim>& joined,
                                     const std::vector<int>& dims,
                                     const std::vector<KeyDim>& of_input) {
  all_keys(joined);  // refuses more keys than a plan names
  std::vector<std::vector<int64_t>> added;
  for (const KeyDim& dim : joined) {
    added.emplace_back(static_cast<size_t>(num_keys(dim)), 0);
  }
  int64_t stride = 1;
  for (size_t dim = dims.size(); dim-- > 0;) {
    if (dims[dim] >= 0) {
      std::vector<int64_t>& by_key = added[static_cast<size_t>(dims[dim])];
      for (size_t key = 0; key < by_key.size(); ++key) {
        by_key[key] += stride * static_cast<int64_t>(key);
      }
    }
    stride *= num_keys(of_input[dim]);
  }
  return sums_over_keys(added);
}

}  // namespace tessera::tra
