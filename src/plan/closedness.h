#pragma once

#include <map>
#include <vector>

#include "ir/ia/graph.h"
#include "kernels/context.h"
#include "plan/lineage.h"

namespace tessera::plan {

/// The new key of every tuple. Errors: `user` where two tuples get one key, or (if the relation had
/// every key) a key below the new frontier is left empty; the message names the keys (TRA §3:
/// uniqueness and continuity). What can be told without looking at the tuples, verify() refused
/// before (ir/tra/closedness.h).
std::map<Key, Key> rekeyed(const std::map<Key, std::vector<View>>& tuples,
                           const std::vector<tra::KeyDim>& from,
                           const std::vector<tra::KeyExpression>& key, const ia::Node& node);

/// For every key of the space, in row-major order, whether the predicate (index_of(n) is dimension
/// n) holds.
std::vector<bool> keys_kept(const expr::Scalar& predicate, const std::vector<tra::KeyDim>& dims,
                            const kernels::Context& context);

}  // namespace tessera::plan
