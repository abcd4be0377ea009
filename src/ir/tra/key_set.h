#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace tessera::tra {

/// The integers that name a tuple within its relation, one for each key dimension.
using Key = std::vector<int64_t>;

/// Every key of the key space: the relation is continuous (TRA §3).
struct AllKeys {
  friend bool operator==(const AllKeys&, const AllKeys&) = default;
};

/// These keys, and not all.
struct ListedKeys {
  std::set<Key> keys;
  friend bool operator==(const ListedKeys&, const ListedKeys&) = default;
};

/// Some keys, known only when a plan names its tuples.
struct UnknownKeys {
  friend bool operator==(const UnknownKeys&, const UnknownKeys&) = default;
};

/// The closed set of facts about the tuples that a relation has. If every key is listed, it is
/// AllKeys.
using KeySet = std::variant<AllKeys, ListedKeys, UnknownKeys>;

/// The largest key space whose keys are listed.
constexpr int64_t kMostListedKeys = 4096;

/// True if no tuple is absent.
bool has_all(const KeySet& present);

/// True if there is a tuple with this key; nothing if it is unknown.
std::optional<bool> has_key(const KeySet& present, const Key& key);

/// Counts the present tuples, at most, in a key space of `num_keys` keys.
int64_t num_present(const KeySet& present, int64_t num_keys);

/// Formats a set: " only {(0,0),(1,1)}", " some"; nothing for all.
std::string to_string(const KeySet& present);

}  // namespace tessera::tra
