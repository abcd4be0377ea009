#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/tra/absence.h"
#include "ir/tra/infer.h"

namespace tessera::tra {

// A relation is closed if no two tuples have one key (uniqueness) and every key below the frontier
// has a tuple (continuity; TRA §3). All operators but rekeys and filters preserve that. The checks
// here come before anything runs, for key spaces of any size, and name the key that would have two
// tuples or none.

/// The most keys that a plan looks at one by one.
constexpr int64_t kMostLookedAt = int64_t{1} << 20;

/// Returns why a rekey does not make a closed relation of a closed one, or does not keep the keys
/// of one with absent tuples distinct; nothing if it does. `to` is the key of its result. REQUIRES
/// that the rekey fits its input (infer_type).
///
/// Exact: an affine map takes a box one to one to a whole box only if every dimension of more than
/// one key goes into one new dimension, and each of those counts its own like digits of a number.
/// If the tuples are unknown, distinct keys of all possible ones are enough. Else the plan looks at
/// each (plan/closedness.h), unless they are too many: then the answer is unknown, which is a
/// problem too.
std::optional<std::string> problem_of_rekey(const Rekey& rekey, const RelationType& from,
                                            const std::vector<KeyDim>& to);

/// Returns why a result would have a hole that a filter makes; nothing if it has none, or so few
/// keys that the plan looks at each (plan/results.h).
std::optional<std::string> problem_of_result(const Output& result, const Makers& makers,
                                             const Relations& relations);

}  // namespace tessera::tra
