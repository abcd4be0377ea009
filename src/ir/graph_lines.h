#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/document_nodes.h"
#include "ir/named_outputs.h"

namespace tessera::ir {

/// Goes through the lines of a graph in order and passes every node to `read_node`. Returns the
/// outputs. Throws a user Error if nodes do not count up from %0 or an output names no earlier
/// node.
std::vector<NamedOutput> read_lines(const SourceText& source, const std::vector<Description>& lines,
                                    const std::function<void(const Description&)>& read_node);

/// The syntax of an operator in an algebra's text: its word, its possible parameters, and its
/// parser.
template <class Read>
struct OperatorReader {
  const char* name;
  std::vector<std::string> parameters;
  Read read;
};

/// Returns the parser of a line's operator. Throws a user Error if no operator on these `things`
/// has that word, or if it lacks such a parameter.
template <class Read>
Read reader_of(const SourceText& source, const Description& line,
               const std::vector<OperatorReader<Read>>& operators, const std::string& things) {
  std::string names;
  for (const OperatorReader<Read>& candidate : operators) {
    if (line.op == candidate.name) {
      check_parameters(source, line, candidate.parameters);
      return candidate.read;
    }
    names += (names.empty() ? "" : ", ") + std::string(candidate.name);
  }
  fail_at(source, line.span, "there is no operator " + line.op + " on " + things, names);
}

}  // namespace tessera::ir
