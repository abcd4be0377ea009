#include "optimizer/tra/composed_kernel.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace tessera::optimizer {

namespace {

using expr::LabelNumber;

std::string free_name(const expr::TileProgram& first, const expr::TileProgram& second,
                      const std::string& name) {
  std::string made = name;
  for (int number = 1; expr::find_label(first, made) >= 0 || expr::find_label(second, made) >= 0;
       ++number) {
    made = fmt::format("{}.{}", name, number);
  }
  return made;
}

/// Adds the second's labels to the composed kernel, and returns their numbers. The second names the
/// modes of the result, so of two labels of one name the first's is renamed.
std::vector<LabelNumber> add_labels(expr::TileProgram& made, const expr::TileProgram& second) {
  std::vector<LabelNumber> numbers;
  for (const expr::LabelDecl& label : second.labels) {
    const LabelNumber known = expr::find_label(made, label.name);
    if (known >= 0 && made.labels[static_cast<size_t>(known)] == label) {
      numbers.push_back(known);
      continue;
    }
    if (known >= 0) {
      made.labels[static_cast<size_t>(known)].name = free_name(made, second, label.name);
    }
    numbers.push_back(static_cast<LabelNumber>(made.labels.size()));
    made.labels.push_back(label);
  }
  return numbers;
}

int32_t num_results(const expr::TileProgram& program) {
  int32_t results = 0;
  for (const expr::TileStatement& statement : program.statements) {
    results += static_cast<int32_t>(statement.bodies.size());
  }
  return results;
}

}  // namespace

expr::TileProgram composed_kernel(const expr::TileProgram& first, const expr::TileProgram& second) {
  expr::TileProgram made = first;
  const std::vector<LabelNumber> labels = add_labels(made, second);
  const int32_t end = first.num_inputs + num_results(first);
  std::vector<int32_t> operands;
  for (int32_t input = 0; input < second.num_inputs; ++input) {
    operands.push_back(end - second.num_inputs + input);  // the result of the last statement
  }
  for (int32_t result = 0; result < num_results(second); ++result) {
    operands.push_back(end + result);
  }
  for (expr::TileStatement statement : second.statements) {
    expr::for_each_label(statement,
                         [&](LabelNumber& label) { label = labels[static_cast<size_t>(label)]; });
    for (expr::Scalar& body : statement.bodies) {
      for (expr::Node& node : body.nodes) {
        node = expr::renumbered(std::move(node), labels, operands);
      }
    }
    made.statements.push_back(std::move(statement));
  }
  return made;
}

}  // namespace tessera::optimizer
