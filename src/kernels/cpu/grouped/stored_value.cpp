#include "kernels/cpu/grouped/stored_value.h"

#include <algorithm>

#include "expr/function_ids.h"
#include "kernels/cpu/blocked/program.h"
#include "types/literal.h"

namespace tessera::kernels {

namespace {

/// Returns the leaf that a node is, if it is an element in its stored type.
std::optional<size_t> stored_leaf(const LeafExpressions& values, const expr::Node& at) {
  const auto* parameter = std::get_if<expr::Parameter>(&at.op);
  if (parameter == nullptr || compute_type(at.dtype) != at.dtype) {
    return std::nullopt;
  }
  const auto leaf = static_cast<size_t>(parameter->position);
  return std::holds_alternative<expr::Access>(values.leaves[leaf].what) ? std::optional(leaf)
                                                                        : std::nullopt;
}

bool reads_inner(const GroupedProgram& program, size_t leaf) {
  const auto& access = std::get<expr::Access>(program.values.leaves[leaf].what);
  return std::any_of(access.index.begin(), access.index.end(), [&](const expr::Index& index) {
    return program.inner && expr::mentions(index, *program.inner);
  });
}

std::optional<StoredValue> scaled_value_of(const GroupedProgram& program,
                                           const expr::Monoid& monoid, Isa isa) {
  const expr::Node& root = program.values.bodies[0].nodes.back();
  const auto* product = std::get_if<expr::Call>(&root.op);
  const MergeRows merge = merge_of_products(monoid, isa);
  if (product == nullptr || product->function != expr::id::kMultiply || merge == nullptr) {
    return std::nullopt;
  }
  const auto leaf_of = [&](int32_t node) {
    return stored_leaf(program.values, program.values.bodies[0].nodes[static_cast<size_t>(node)]);
  };
  for (const size_t place : {size_t{0}, size_t{1}}) {
    const std::optional<size_t> factor = leaf_of(product->arguments[place]);
    const std::optional<size_t> element = leaf_of(product->arguments[1 - place]);
    if (factor && element && !reads_inner(program, *factor) && reads_inner(program, *element)) {
      return StoredValue{element, {}, factor, merge};
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_stored_number(const LeafExpressions& stage) {
  const std::vector<expr::Node>& nodes = stage.bodies[0].nodes;
  const bool is_cast = nodes.size() == 2 && std::holds_alternative<expr::Cast>(nodes[1].op);
  if (stage.leaves.size() != 1 || (nodes.size() != 1 && !is_cast)) {
    return false;
  }
  const GroupedLeaf& leaf = stage.leaves[0];
  return std::holds_alternative<expr::Access>(leaf.what) && is_integer(leaf.dtype) &&
         nodes.back().dtype == DType::i64 &&
         std::none_of(leaf.stages.begin(), leaf.stages.end(),
                      [](const auto& gathered) { return gathered.has_value(); });
}

std::vector<StoredValue> stored_values_of(const GroupedProgram& program, const expr::Monoid& monoid,
                                          Isa isa) {
  const std::vector<MergeRows> merges = merges_of(monoid, isa);
  std::vector<StoredValue> stored;
  for (size_t state = 0; state < merges.size(); ++state) {
    const std::vector<expr::Node>& nodes = program.values.bodies[state].nodes;
    const expr::Node& root = nodes.back();
    if (const auto* constant = std::get_if<expr::Constant>(&root.op)) {
      StoredValue& value = stored.emplace_back();
      fill_literal(constant->value, root.dtype, value.constant.data(), 1);
      value.merge = merges[state];
    } else if (const std::optional<size_t> element = stored_leaf(program.values, root)) {
      stored.push_back({element, {}, std::nullopt, merges[state]});
    } else if (std::optional<StoredValue> scaled = scaled_value_of(program, monoid, isa)) {
      stored.push_back(*scaled);
    } else {
      return {};
    }
  }
  return stored;
}

}  // namespace tessera::kernels
