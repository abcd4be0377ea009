#pragma once

#include <map>
#include <vector>

#include "ir/ia/graph.h"
#include "kernels/context.h"
#include "plan/lineage.h"

namespace tessera::plan {

/// Returns the new key of every tuple. Errors: `user` if two tuples get one key, or if a key below
/// the new frontier is left empty though the relation had every key; the message names the keys
/// (TRA §3: uniqueness and continuity). verify() has refused earlier what can be told without the
/// tuples (ir/tra/closedness.h).
std::map<Key, Key> rekeyed(const std::map<Key, std::vector<View>>& tuples,
                           const std::vector<tra::KeyDim>& from,
                           const std::vector<tra::KeyExpression>& key, const ia::Node& node);

/// Evaluates the predicate for every key of the space, in row-major order; index_of(n) is dimension
/// n.
std::vector<bool> keys_kept(const expr::Scalar& predicate, const std::vector<tra::KeyDim>& dims,
                            const kernels::Context& context);

}  // namespace tessera::plan
