#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "placement/two_phase/tuples.h"

namespace tessera::placement::two_phase {

/// A solver: it assigns the groups of a statement.
using Solver = std::function<Plan(const Problem&)>;

/// The costs of a statement's steps, in the unit of a Problem.
struct StepCosts {
  int64_t join = 0;    // one join group
  int64_t result = 0;  // to send its result
  int64_t merge = 0;   // to merge one result of a join group into an aggregation group
};

/// A tuple that a join group reads, and the cost of sending it.
struct Operand {
  int32_t tuple = kNoTuple;
  int64_t send_cost = 0;
};

/// A statement that is planned at once: join groups over tuples of the program, and the aggregation
/// groups that they are merged into. It borrows the tuples and its other arguments.
class Statement {
 public:
  /// `key` is that of its join groups.
  Statement(Tuples& tuples, int32_t num_sites, StepCosts costs,
            const std::vector<tra::KeyDim>& key);

  /// Adds a join group that makes the tuple with this key from others in `num_calls` calls; a hash
  /// join deals it out by `dealt_by`.
  void add_join(int32_t made, const tra::Key& key, const std::vector<Operand>& operands,
                int64_t dealt_by, int64_t num_calls = 1);
  /// Adds an aggregation group that makes a tuple from results of join groups. REQUIRES that join
  /// groups were added in the order of the tuples that they make.
  void add_group(int32_t made, const std::vector<int32_t>& results, int64_t key);

  /// Assigns all groups; without aggregation groups, each join group gets one of its own. Nothing
  /// is added afterwards, and no other statement is begun before.
  Plan solved(const Solver& solve);
  const Problem& problem() const { return problem_; }

  /// Notes where tuples are made and needed.
  void apply(const Plan& plan);

 private:
  int32_t local(const Operand& operand);

  Tuples& tuples_;
  StepCosts costs_;
  Problem problem_;
  std::vector<size_t> dims_;           // of the key, those with several keys
  std::vector<int32_t> last_join_;     // by tuple, that needs it
  std::vector<int32_t> tuple_;         // by its number in the problem: its number in the program
  std::vector<int32_t> made_by_join_;  // tuples of the program
  std::vector<int32_t> made_by_group_;
};

}  // namespace tessera::placement::two_phase
