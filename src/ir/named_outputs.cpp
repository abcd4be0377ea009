#include "ir/named_outputs.h"

#include <set>

#include <fmt/format.h>

#include "ir/document_nodes.h"

namespace tessera::ir {

void append_outputs(Document& document, const std::vector<NamedOutput>& outputs) {
  for (const NamedOutput& output : outputs) {
    document.nodes.push_back(describe_output(output.name, output.node));
  }
}

std::vector<std::string> problems_of_outputs(const std::vector<NamedOutput>& outputs,
                                             int64_t num_nodes, const std::string& node_word) {
  std::vector<std::string> problems;
  std::set<std::string> names;
  for (const NamedOutput& output : outputs) {
    if (output.node < 0 || output.node >= num_nodes) {
      problems.push_back(
          fmt::format("output {}: there is no {} %{}", output.name, node_word, output.node));
    }
    if (output.name.empty() || !names.insert(output.name).second) {
      problems.push_back(fmt::format("output '{}' has no name of its own", output.name));
    }
  }
  return problems;
}

}  // namespace tessera::ir
