#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/description.h"

namespace tessera::ir {

/// A result of a graph as all algebras have it: a name and the number of a node.
struct NamedOutput {
  std::string name;
  int64_t node = 0;
};

/// The lines `output(%7) Y` at the end of a document.
void append_outputs(Document& document, const std::vector<NamedOutput>& outputs);

/// What is wrong with them: a node that is not there, a name that is missing or taken. `node_word`
/// is what the algebra calls its nodes.
std::vector<std::string> problems_of_outputs(const std::vector<NamedOutput>& outputs,
                                             int64_t num_nodes, const std::string& node_word);

}  // namespace tessera::ir
