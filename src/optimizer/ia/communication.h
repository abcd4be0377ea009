#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "ir/ia/graph.h"

namespace tessera::optimizer {

/// The communication cost of a placement, in bytes.
struct CommunicationVolume {
  double moved_bytes = 0;  // from one site to another
  /// Bytes that the busiest site handles beyond an even share, over all operators: a plan on one
  /// site moves nothing, but leaves the others idle. A byte of excess counts as one moved.
  double excess_bytes = 0;

  double total() const { return moved_bytes + excess_bytes; }
};

/// A counter of the bytes that placed programs move. A broadcast sends a tuple to every site but
/// its own, a shuffle sends a tuple whose site changes; reading inputs is free. Absent tuples move
/// nothing. All tuples of a relation count as equally large, and a shuffle of more than 2^16 keys
/// as moving all but one in `num_sites`.
///
/// Results are cached by placements and tuples, because the programs of a search have most moves in
/// common. Threads: one at a time.
class Communication {
 public:
  CommunicationVolume of(const ia::Graph& graph);

  /// Returns the bytes of a move from one placement to another.
  double moved_bytes(const ia::Placement& from, const ia::Placement& to,
                     const tra::RelationType& type, int64_t num_sites);
  /// Returns the excess of one node of a graph; 0 if it moves or reads an input.
  double excess_bytes(const ia::Graph& graph, const ia::Node& node);

 private:
  double moved_tuples(const ia::Placement& from, const ia::Placement& to,
                      const tra::RelationType& type, int64_t num_sites);
  double excess_calls(const ia::Placement& at, const tra::RelationType& type, int64_t num_sites);

  /// A cached number with the arguments it was counted for.
  struct Counted {
    ia::Placement from;
    std::optional<ia::Placement> to;  // none if calls were counted
    tra::RelationType type;
    double number;
  };
  double* find(size_t hash, const ia::Placement& from, const ia::Placement* to,
               const tra::RelationType& type);

  std::unordered_multimap<size_t, Counted> counted_;  // by hash
};

}  // namespace tessera::optimizer
