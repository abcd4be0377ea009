#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/ia/placement.h"
#include "ir/tra/keys.h"

namespace tessera::optimizer {

/// Rewrites a map by labels of a join as a map by the dimensions of an operand, whose labels in the
/// join are `match`; nothing if the operand lacks one.
std::optional<ia::ByMap> by_dims(ia::ByMap map, const std::vector<tra::KeyDim>& key,
                                 const std::vector<std::string>& match);

/// Rewrites a map by an operand's dimensions as a map by labels of the join.
ia::ByMap by_labels(ia::ByMap map, const std::vector<tra::KeyDim>& key,
                    const std::vector<std::string>& match);

/// Returns the sites that need each tuple of an operand when a join of key `joined` is placed by a
/// map. A tuple that meets none (beside a diagonal, say) may lie on any site. Errors: `user` for
/// more keys than a plan names.
ia::SiteSets sites_met(const ia::ByMap& at, const std::vector<tra::KeyDim>& joined,
                       const std::vector<tra::KeyDim>& key, const std::vector<std::string>& match,
                       int64_t num_sites);

/// Picks one of the sites that need each tuple, so that all sites get their turn.
ia::ByTable one_of(const ia::SiteSets& sets);

}  // namespace tessera::optimizer
