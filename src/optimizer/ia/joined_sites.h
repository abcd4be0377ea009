#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/ia/placement.h"
#include "ir/tra/keys.h"

namespace tessera::optimizer {

/// A map by labels of a join as one by the dimensions of an operand, whose labels in the join are
/// `match`; nothing where it lacks one.
std::optional<ia::ByMap> by_dims(ia::ByMap map, const std::vector<tra::KeyDim>& key,
                                 const std::vector<std::string>& match);

/// The other way round.
ia::ByMap by_labels(ia::ByMap map, const std::vector<tra::KeyDim>& key,
                    const std::vector<std::string>& match);

/// The sites that need each tuple of an operand where a join of key `joined` is made by a map; of
/// one that meets none, as those beside a diagonal, any site. Errors: `user` for more keys than a
/// plan names.
ia::SiteSets sites_met(const ia::ByMap& at, const std::vector<tra::KeyDim>& joined,
                       const std::vector<tra::KeyDim>& key, const std::vector<std::string>& match,
                       int64_t num_sites);

/// One of the sites that need each tuple, so that all sites get their turn.
ia::ByTable one_of(const ia::SiteSets& sets);

}  // namespace tessera::optimizer
