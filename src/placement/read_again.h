#pragma once

#include <string>
#include <vector>

#include "ir/ia/graph.h"
#include "machine/machine.h"

namespace tessera::placement {

/// A placed program, and notes on it, a line each.
struct ReadAgain {
  ia::Graph graph;
  std::vector<std::string> notes;
};

/// Lets every site that needs an input read it, if that takes less than moving it there:
/// Bcast(Input) and Shuf_P(Input) become an input placed everywhere, or by P.
///
/// Compares the machine's rates, for all tiles together: a file's (machine/file_cost.h) against the
/// network's. REQUIRES that every site can read every input. An input with another reader stays:
/// sites would have some of its tiles twice.
ReadAgain read_again(const ia::Graph& graph, const Machine& machine);

}  // namespace tessera::placement
