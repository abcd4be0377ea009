#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/source.h"

namespace tessera::simulate {

/// A task that is known by its costs only.
struct CostTask {
  std::string name;
  double seconds = 0;                  // on a site of speed 1, which runs one task at a time
  std::optional<double> move_seconds;  // of its result to any other site
  double bytes = 0;                    // of its result through the links, if the former is unknown
  std::vector<int64_t> inputs;         // tasks whose results it needs, each once
  std::optional<int64_t> site;         // where someone placed it
};

/// Tasks with costs, in an order in which each comes after its inputs.
struct CostGraph {
  std::optional<int64_t> num_sites;  // that it was made for
  std::vector<CostTask> tasks;
};

/// Reads the JSON of doc/simulate.md. Errors: `user`, with line and caret, naming the task.
CostGraph parse_cost_graph(const SourceText& text);

/// Reads the JSON of a file. Errors: also `resource`, if it cannot be read.
CostGraph load_cost_graph(const std::string& path);

}  // namespace tessera::simulate
