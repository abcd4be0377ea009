#pragma once

#include <map>
#include <vector>

#include "plan/lineage.h"

namespace tessera::plan {

/// The tiles that the calls of every group add to, in turn.
class Accumulators {
 public:
  explicit Accumulators(size_t num_tiles) : num_tiles_(num_tiles) {}

  /// The tile of a group whose turn it is; and true if a call has made it already.
  struct Turn {
    const std::vector<View>& tile;
    bool is_there;
  };

  /// Returns the next tile of a group. Calls new_tuple() for a tile that no call has made.
  template <class NewTuple>
  Turn next(const Key& key, NewTuple new_tuple) {
    Group& group = groups_[key];
    const size_t turn = group.num_calls++ % num_tiles_;
    const bool is_there = turn < group.tiles.size();
    if (!is_there) {
      group.tiles.push_back(new_tuple());
    }
    return {group.tiles[turn], is_there};
  }

  /// Calls visit(key, tiles) for every group.
  template <class Visit>
  void for_each_group(Visit visit) const {
    for (const auto& [key, group] : groups_) {
      visit(key, group.tiles);
    }
  }

 private:
  struct Group {
    std::vector<std::vector<View>> tiles;
    size_t num_calls = 0;
  };

  size_t num_tiles_;
  std::map<Key, Group> groups_;
};

}  // namespace tessera::plan
