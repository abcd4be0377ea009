#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/ia/graph.h"
#include "ir/tra/graph.h"
#include "optimizer/pass.h"

namespace tessera::optimizer {

/// The passes over relations that a session knows, by stage. Passes over whole tensors are rules
/// (einsum/rule.h). Threads: filled once, then read by any number.
struct PassRegistry {
  Registry<Pass<tra::Graph>> tra;
  Registry<Pass<ia::Graph>> ia;
};

/// Adds every pass of optimizer/passes/ (the list is generated from the folder).
void register_all_passes(PassRegistry& registry);

/// Refuses unknown names of rules and passes that are to be left out. Errors: `user` for an unknown
/// name, with the known ones.
void check_names(const std::set<std::string>& disabled, std::vector<std::string> known);

}  // namespace tessera::optimizer
