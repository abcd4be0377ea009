#include "ir/graph_lines.h"

#include <fmt/format.h>

#include "expr/text/scanner.h"

namespace tessera::ir {

namespace {

/// True for a line output(%7) Y.
bool is_output(const Description& line) {
  return line.op == "output" && line.id.empty();
}

NamedOutput read_output(const SourceText& source, const Description& line, int64_t num_nodes) {
  check_parameters(source, line, {""});
  expr::Scanner scanner(source, what_of(source, line).span);
  std::string name = scanner.name();
  scanner.expect_end();
  return {std::move(name), parse_operand(source, line, num_nodes)};
}

void check_id(const SourceText& source, const Description& line, int64_t number) {
  if (line.id != node_name(number)) {
    fail_at(source, line.span,
            fmt::format("nodes are numbered in order: this is {}", node_name(number)));
  }
}

}  // namespace

std::vector<NamedOutput> read_lines(const SourceText& source, const std::vector<Description>& lines,
                                    const std::function<void(const Description&)>& read_node) {
  std::vector<NamedOutput> outputs;
  int64_t num_nodes = 0;
  for (const Description& line : lines) {
    if (is_output(line)) {
      outputs.push_back(read_output(source, line, num_nodes));
    } else {
      check_id(source, line, num_nodes++);
      read_node(line);
    }
  }
  return outputs;
}

}  // namespace tessera::ir
