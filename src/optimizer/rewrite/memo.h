#pragma once

#include <cstddef>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "optimizer/rewrite/proposal.h"

namespace tessera::optimizer::rewrite {

/// Costs are compared first, then the simpler graph is the better one.
struct Score {
  double cost = 0;
  size_t num_nodes = 0;
  friend bool operator<(const Score& a, const Score& b) {
    return std::pair(a.cost, a.num_nodes) < std::pair(b.cost, b.num_nodes);
  }
};

/// The graphs that a search has met, each once, with how it came to them. Graphs are told apart by
/// their hash alone: of two with one hash the second is not looked at, which costs at most a better
/// plan. They are not kept, since most are never gone on from.
template <class Graph>
class Memo {
 public:
  /// How a graph was made: from another, by this.
  struct Entry {
    Score score;
    std::optional<size_t> from;  // number of an entry; none for the first
    Proposal<Graph> by;
  };

  bool has(size_t hash) const { return hashes_.count(hash) != 0; }

  /// Its number. REQUIRES a hash that is not there.
  size_t add(size_t hash, Entry entry) {
    hashes_.insert(hash);
    entries_.push_back(std::move(entry));
    return entries_.size() - 1;
  }

  const Entry& at(size_t number) const { return entries_[number]; }
  size_t size() const { return entries_.size(); }

  /// The rewrites that lead from the first graph to an entry's.
  std::vector<Proposal<Graph>> path_to(size_t number) const {
    std::vector<Proposal<Graph>> path;
    for (const Entry* entry = &entries_[number]; entry->from; entry = &entries_[*entry->from]) {
      path.insert(path.begin(), entry->by);
    }
    return path;
  }

 private:
  std::unordered_set<size_t> hashes_;
  std::vector<Entry> entries_;
};

}  // namespace tessera::optimizer::rewrite
