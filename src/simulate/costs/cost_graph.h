#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/source.h"

namespace tessera::simulate {

/// A task of which only its costs are known.
struct CostTask {
  std::string name;
  double seconds = 0;                  // on a site of speed 1, which runs one task at a time
  std::optional<double> move_seconds;  // its result takes so long to any other site
  double bytes = 0;                    // else so many go through the links
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

/// The same of a file. Errors: `resource` too, where it cannot be read.
CostGraph load_cost_graph(const std::string& path);

}  // namespace tessera::simulate
