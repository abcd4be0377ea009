#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/description.h"

namespace tessera::ir {

/// A result of a graph in any algebra: a name and the number of a node.
struct NamedOutput {
  std::string name;
  int64_t node = 0;
};

/// Appends the lines `output(%7) Y` to a document.
void append_outputs(Document& document, const std::vector<NamedOutput>& outputs);

/// Returns the errors in them: a missing node, a name that is missing or taken. `node_word` is the
/// algebra's word for its nodes.
std::vector<std::string> problems_of_outputs(const std::vector<NamedOutput>& outputs,
                                             int64_t num_nodes, const std::string& node_word);

}  // namespace tessera::ir
