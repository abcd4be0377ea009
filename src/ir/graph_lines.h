#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/document_nodes.h"
#include "ir/named_outputs.h"

namespace tessera::ir {

/// Goes through the lines of a graph in order and hands every node to `read_node`; gives the
/// outputs. Throws a user Error where nodes do not count up from %0 or an output is of no node
/// before it.
std::vector<NamedOutput> read_lines(const SourceText& source, const std::vector<Description>& lines,
                                    const std::function<void(const Description&)>& read_node);

/// An operator as an algebra's text has it: its word, the parameters that it may have, what reads
/// it.
template <class Read>
struct OperatorReader {
  const char* name;
  std::vector<std::string> parameters;
  Read read;
};

/// What reads the operator of a line. Throws a user Error where there is none of that word on these
/// `things`, or where it has no such parameter.
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
