#pragma once

#include <string>
#include <vector>

#include "ir/ia/graph.h"
#include "machine/machine.h"

namespace tessera::placement {

/// A placed program, and what is to be said of it, a line each.
struct ReadAgain {
  ia::Graph graph;
  std::vector<std::string> notes;
};

/// Lets every site that needs an input read it, where that takes less than to move it there:
/// Bcast(Input) and Shuf_P(Input) are an input placed everywhere, or by P.
///
/// By the machine's rates, of all tiles together, a file's (machine/file_cost.h) against the
/// network's. REQUIRES that every site can read every input. An input that something else reads
/// too stays as it is: sites would have some of its tiles twice.
ReadAgain read_again(const ia::Graph& graph, const Machine& machine);

}  // namespace tessera::placement
