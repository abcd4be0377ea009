#include <algorithm>
#include <cmath>
#include <cstring>

#include "expr/scalar_part.h"
#include "kernels/leaf_order.h"
#include "kernels/reference/interpreter.h"
#include "kernels/reference/label_walk.h"

// Reductions in the order of leaf_order.h, step by step.
namespace tessera::kernels {

namespace {

/// Computes acc = fma(a, b, acc).
template <class T>
void chain(const Element& a, const Element& b, Element& acc) {
  T values[3];
  const Element* const from[3] = {&a, &b, &acc};
  for (int number = 0; number < 3; ++number) {
    std::memcpy(&values[number], from[number]->bytes, sizeof(T));
  }
  const T result = std::fma(values[0], values[1], values[2]);
  std::memcpy(acc.bytes, &result, sizeof(T));
}

}  // namespace

Interpreter::LeafOrder Interpreter::leaf_order_of(const expr::TileProgram& program,
                                                  const expr::Leaf& leaf, Isa isa) {
  LeafOrder order{leaf.label, leaf.length, DType::f32, {}};
  if (const OrRefusal<expr::SummedProduct> product = chain_of(program)) {
    order.chain_type = product->type;
    for (const int32_t node : {product->a_node, product->b_node}) {
      expr::Scalar factor = expr::part_of(program.statements[0].bodies[0], node);
      factor.nodes.back().dtype = order.chain_type;  // the access widens its elements
      order.factors.emplace_back(factor, isa);
    }
  }
  return order;
}

Status Interpreter::reduce_leaves(const StatementCode& statement,
                                  CallScratch& scratch) const noexcept {
  const size_t num_states = statement.results.size();
  const LabelRange whole = scratch.ranges[static_cast<size_t>(statement.leaf->label)];
  std::copy(scratch.ranges.begin(), scratch.ranges.end(), scratch.leaf_ranges.begin());
  LabelRange& range = scratch.leaf_ranges[static_cast<size_t>(statement.leaf->label)];
  Element* const levels = scratch.levels.data();
  uint64_t num_leaves = 0;
  for (int64_t first = 0; first < whole.length; first += statement.leaf->length, ++num_leaves) {
    range = {whole.begin + first, std::min(statement.leaf->length, whole.length - first)};
    Status status = statement.leaf->factors.empty() ? reduce_lanes(statement, scratch)
                                                    : reduce_chain(statement, scratch);
    size_t level = 0;
    for (; status == Status::ok && ((num_leaves >> level) & 1) != 0; ++level) {
      status = merge(statement, scratch, levels + level * num_states, scratch.states.data(),
                     scratch.states.data());
    }
    if (status != Status::ok) {
      return status;
    }
    std::copy_n(scratch.states.begin(), num_states, levels + level * num_states);
  }
  // A merge without a partner goes up unchanged; every leaf has gone into some level.
  bool has_result = false;
  for (size_t level = 0; (num_leaves >> level) != 0; ++level) {
    if (((num_leaves >> level) & 1) == 0) {
      continue;
    }
    const Element* const earlier = levels + level * num_states;
    if (!has_result) {
      std::copy_n(earlier, num_states, scratch.states.begin());
      has_result = true;
    } else if (const Status status =
                   merge(statement, scratch, earlier, scratch.states.data(), scratch.states.data());
               status != Status::ok) {
      return status;
    }
  }
  return Status::ok;
}

Status Interpreter::reduce_chain(const StatementCode& statement,
                                 CallScratch& scratch) const noexcept {
  Element acc{};
  const ScalarContext context{scratch.labels, scratch.operands, nullptr, scratch.out_of_range};
  start(scratch.labels, statement.over, scratch.leaf_ranges);
  do {
    Element factors[2];
    for (size_t factor = 0; factor < 2; ++factor) {
      const ScalarCode& code = statement.leaf->factors[factor];
      const Status status = code.evaluate(context, scratch.values);
      if (status != Status::ok) {
        return status;
      }
      factors[factor] = scratch.values[code.num_values() - 1];
    }
    statement.leaf->chain_type == DType::f32 ? chain<float>(factors[0], factors[1], acc)
                                             : chain<double>(factors[0], factors[1], acc);
  } while (advance(scratch.labels, statement.over, scratch.leaf_ranges));
  scratch.states[0] = acc;
  return Status::ok;
}

Status Interpreter::reduce_lanes(const StatementCode& statement,
                                 CallScratch& scratch) const noexcept {
  const size_t num_states = statement.results.size();
  const auto last = static_cast<size_t>(statement.over.back());
  size_t num_lanes = 0;
  start(scratch.labels, statement.over, scratch.leaf_ranges);
  do {
    const auto lane =
        static_cast<size_t>((scratch.labels[last] - scratch.leaf_ranges[last].begin) % kLanes);
    const std::span<Element> state = scratch.states.subspan(num_states);
    Status status = evaluate_bodies(statement, scratch, state);
    Element* const target = &scratch.lanes[lane * num_states];
    if (lane == num_lanes) {
      std::copy_n(state.begin(), num_states, target);
      ++num_lanes;
    } else if (status == Status::ok) {
      status = merge(statement, scratch, target, state.data(), target);
    }
    if (status != Status::ok) {
      return status;
    }
  } while (advance(scratch.labels, statement.over, scratch.leaf_ranges));
  return halve_lanes(statement, scratch, num_lanes);
}

Status Interpreter::halve_lanes(const StatementCode& statement, CallScratch& scratch,
                                size_t num_lanes) const noexcept {
  const size_t num_states = statement.results.size();
  Element* const lanes = scratch.lanes.data();
  while (num_lanes > 1) {
    const size_t kept = (num_lanes + 1) / 2;
    for (size_t lane = 0; lane + kept < num_lanes; ++lane) {
      Element* const left = lanes + lane * num_states;
      const Status status =
          merge(statement, scratch, left, lanes + (lane + kept) * num_states, left);
      if (status != Status::ok) {
        return status;
      }
    }
    num_lanes = kept;
  }
  std::copy_n(lanes, num_states, scratch.states.begin());
  return Status::ok;
}

Status Interpreter::merge(const StatementCode& statement, CallScratch& scratch, const Element* left,
                          const Element* right, Element* into) const noexcept {
  const size_t num_states = statement.results.size();
  std::copy_n(right, num_states, scratch.states.begin() + static_cast<ptrdiff_t>(num_states));
  std::copy_n(left, num_states, scratch.states.begin());
  const Status status = combine_states(statement, scratch);
  std::copy_n(scratch.states.begin(), num_states, into);
  return status;
}

}  // namespace tessera::kernels
