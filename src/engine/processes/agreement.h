#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/execution/rounds.h"
#include "net/link.h"
#include "plan/task_graph.h"

namespace tessera::engine {

/// A fact that must be the same in every process of a run.
struct Fact {
  std::string name;    // "the input A"
  std::string value;   // what is compared
  std::string remedy;  // the user's remedy if it differs
};

/// Checks facts. Errors: `user`, in every process, naming the first process that differs from the
/// first one, and the difference. REQUIRES the same names in all (see common_machine.h for when).
void check_same(net::Link& link, const std::vector<Fact>& facts);

/// Returns the facts that a run depends on: the data, by their types and by elements at places all
/// over them, and the plan. Data that differ only elsewhere are not told apart.
std::vector<Fact> facts_of(const plan::TaskGraph& tasks, const Sources& sources);

}  // namespace tessera::engine
