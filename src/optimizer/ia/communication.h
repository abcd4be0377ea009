#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "ir/ia/graph.h"

namespace tessera::optimizer {

/// What a placement costs, in bytes.
struct CommunicationVolume {
  double moved_bytes = 0;  // from one site to another
  /// What the busiest site handles beyond an even share, over all operators: a plan on one site
  /// moves nothing, but leaves the others idle. A byte that is handled in vain counts as one moved.
  double excess_bytes = 0;

  double total() const { return moved_bytes + excess_bytes; }
};

/// Counts what placed programs move. A broadcast sends a tuple to every site but its own, a shuffle
/// where the tuple's site changes; reading inputs is free. Tuples that are absent move nothing. All
/// of a relation are taken to be as large, and of more than 2^16 keys a shuffle is taken to move
/// all but one in `num_sites`.
///
/// It remembers what it counted by placements and tuples, since the programs that a search makes
/// have most moves in common. Threads: one at a time.
class Communication {
 public:
  CommunicationVolume of(const ia::Graph& graph);

  /// Of a move from one placement to another.
  double moved_bytes(const ia::Placement& from, const ia::Placement& to,
                     const tra::RelationType& type, int64_t num_sites);
  /// Of one node of a graph, 0 where it moves or reads an input.
  double excess_bytes(const ia::Graph& graph, const ia::Node& node);

 private:
  double moved_tuples(const ia::Placement& from, const ia::Placement& to,
                      const tra::RelationType& type, int64_t num_sites);
  double excess_calls(const ia::Placement& at, const tra::RelationType& type, int64_t num_sites);

  /// What was counted, of what.
  struct Counted {
    ia::Placement from;
    std::optional<ia::Placement> to;  // none where calls are counted
    tra::RelationType type;
    double number;
  };
  double* find(size_t hash, const ia::Placement& from, const ia::Placement* to,
               const tra::RelationType& type);

  std::unordered_multimap<size_t, Counted> counted_;  // by hash
};

}  // namespace tessera::optimizer
