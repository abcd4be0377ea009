#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/tra/absence.h"
#include "ir/tra/infer.h"

namespace tessera::tra {

// A relation is closed where no two tuples have one key (uniqueness) and every key below the
// frontier has a tuple (continuity; TRA §3). All operators but rekeys and filters keep that. What
// is said here is said before anything runs, of key spaces of any size, with the key that would
// have two tuples or none.

/// Key by key a plan looks at no more.
constexpr int64_t kMostLookedAt = int64_t{1} << 20;

/// Why a rekey does not make a closed relation of one that is, or does not keep the keys of one
/// with absent tuples distinct; nothing where it does. `to` is the key of what it makes. REQUIRES
/// that the rekey fits its input (infer_type).
///
/// Exact: an affine map takes a box one to one to a whole box only where every dimension of more
/// than one key goes into one new dimension, and each of those counts its own as digits of a
/// number. Where it is not known which tuples there are, distinct keys of all that might be are
/// enough. Else the plan looks at each (plan/closedness.h), unless they are too many: then nobody
/// can tell, which is a problem too.
std::optional<std::string> problem_of_rekey(const Rekey& rekey, const RelationType& from,
                                            const std::vector<KeyDim>& to);

/// Why a result would have a hole that a filter makes; nothing where it has none, or so few keys
/// that the plan looks at each (plan/results.h).
std::optional<std::string> problem_of_result(const Output& result, const Makers& makers,
                                             const Relations& relations);

}  // namespace tessera::tra
