#pragma once

#include <functional>

#include "plan/lineage.h"
#include "plan/needed_keys.h"
#include "plan/site_tuples.h"
#include "plan/task_builder.h"

namespace tessera::plan {

/// Adds the tasks of a scan over tuples, each from the result before it and the tuple there, and
/// returns the results that `is_needed`: the first is the identity, the second the first tuple
/// itself.
///
/// `type` is that of the relation; `tuples` has every tuple that some needed result merges.
Lineage add_scan(TaskBuilder& tasks, const tra::Scan& scan, const tra::RelationType& type,
                 const Lineage& tuples, const std::function<bool(const Key&)>& is_needed);

/// The sites of the steps of a walking scan.
struct WalkPlaces {
  const NeededKeys& needed;
  /// True if the scan's placement puts the tuple on a site, and with it the tuples that meet there.
  std::function<bool(const Key&, size_t site)> is_placed;
  /// Returns the arrays that meet under a key, on a site of its placement.
  std::function<std::vector<View>(const Key&, size_t site)> met;
};

/// Adds the tasks of a walking scan, and returns the needed results by site. A step runs where its
/// tile is: on every site that has the tile and the next one. The states pass from the first of
/// these to sites that have only the next.
LineageBySite add_walking_scan(TaskBuilder& tasks, SiteTuples& sites, const tra::Scan& scan,
                               const tra::RelationType& type, const WalkPlaces& places);

}  // namespace tessera::plan
