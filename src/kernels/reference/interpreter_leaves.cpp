#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/leaf_order.h"
#include "kernels/reference/interpreter.h"
#include "kernels/reference/label_walk.h"

// Reductions in the order of leaf_order.h, as it is written there.
namespace tessera::kernels {

namespace {

/// acc = fma(a, b, acc).
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
                                                  const expr::Leaf& leaf) {
  LeafOrder order{leaf.label, leaf.length, DType::f32, {}};
  if (const OrRefusal<GemmLabels> labels = read_as_chain(program)) {
    order.chain_type = labels->type;
    for (const expr::Access& factor : {labels->a, labels->b}) {
      order.factors.emplace_back(expr::scalar_of(factor, order.chain_type));
    }
  }
  return order;
}

Status Interpreter::reduce_leaves(const Statement& statement, Frame& frame) const noexcept {
  const size_t num_states = statement.results.size();
  const LabelRange whole = frame.ranges[static_cast<size_t>(statement.leaf->label)];
  std::copy(frame.ranges.begin(), frame.ranges.end(), frame.leaf_ranges.begin());
  LabelRange& range = frame.leaf_ranges[static_cast<size_t>(statement.leaf->label)];
  Element* const levels = frame.levels.data();
  uint64_t num_leaves = 0;
  for (int64_t first = 0; first < whole.length; first += statement.leaf->length, ++num_leaves) {
    range = {whole.begin + first, std::min(statement.leaf->length, whole.length - first)};
    Status status = statement.leaf->factors.empty() ? reduce_lanes(statement, frame)
                                                    : reduce_chain(statement, frame);
    size_t level = 0;
    for (; status == Status::ok && ((num_leaves >> level) & 1) != 0; ++level) {
      status = merge(statement, frame, levels + level * num_states, frame.states.data(),
                     frame.states.data());
    }
    if (status != Status::ok) {
      return status;
    }
    std::copy_n(frame.states.begin(), num_states, levels + level * num_states);
  }
  // What is left without a partner goes up as it is; every leaf has gone into some level.
  bool has_result = false;
  for (size_t level = 0; (num_leaves >> level) != 0; ++level) {
    if (((num_leaves >> level) & 1) == 0) {
      continue;
    }
    const Element* const earlier = levels + level * num_states;
    if (!has_result) {
      std::copy_n(earlier, num_states, frame.states.begin());
      has_result = true;
    } else if (const Status status =
                   merge(statement, frame, earlier, frame.states.data(), frame.states.data());
               status != Status::ok) {
      return status;
    }
  }
  return Status::ok;
}

Status Interpreter::reduce_chain(const Statement& statement, Frame& frame) const noexcept {
  Element acc{};
  const ScalarContext context{frame.labels, frame.operands, nullptr};
  start(frame.labels, statement.over, frame.leaf_ranges);
  do {
    Element factors[2];
    for (size_t factor = 0; factor < 2; ++factor) {
      const ScalarCode& code = statement.leaf->factors[factor];
      const Status status = code.evaluate(context, frame.values);
      if (status != Status::ok) {
        return status;
      }
      factors[factor] = frame.values[code.num_values() - 1];
    }
    statement.leaf->chain_type == DType::f32 ? chain<float>(factors[0], factors[1], acc)
                                             : chain<double>(factors[0], factors[1], acc);
  } while (advance(frame.labels, statement.over, frame.leaf_ranges));
  frame.states[0] = acc;
  return Status::ok;
}

Status Interpreter::reduce_lanes(const Statement& statement, Frame& frame) const noexcept {
  const size_t num_states = statement.results.size();
  const auto last = static_cast<size_t>(statement.over.back());
  size_t num_lanes = 0;
  start(frame.labels, statement.over, frame.leaf_ranges);
  do {
    const auto lane =
        static_cast<size_t>((frame.labels[last] - frame.leaf_ranges[last].begin) % kLanes);
    const std::span<Element> state = frame.states.subspan(num_states);
    Status status = evaluate_bodies(statement, frame, state);
    Element* const target = &frame.lanes[lane * num_states];
    if (lane == num_lanes) {
      std::copy_n(state.begin(), num_states, target);
      ++num_lanes;
    } else if (status == Status::ok) {
      status = merge(statement, frame, target, state.data(), target);
    }
    if (status != Status::ok) {
      return status;
    }
  } while (advance(frame.labels, statement.over, frame.leaf_ranges));
  return halve_lanes(statement, frame, num_lanes);
}

Status Interpreter::halve_lanes(const Statement& statement, Frame& frame,
                                size_t num_lanes) const noexcept {
  const size_t num_states = statement.results.size();
  Element* const lanes = frame.lanes.data();
  while (num_lanes > 1) {
    const size_t kept = (num_lanes + 1) / 2;
    for (size_t lane = 0; lane + kept < num_lanes; ++lane) {
      Element* const left = lanes + lane * num_states;
      const Status status = merge(statement, frame, left, lanes + (lane + kept) * num_states, left);
      if (status != Status::ok) {
        return status;
      }
    }
    num_lanes = kept;
  }
  std::copy_n(lanes, num_states, frame.states.begin());
  return Status::ok;
}

Status Interpreter::merge(const Statement& statement, Frame& frame, const Element* left,
                          const Element* right, Element* into) const noexcept {
  const size_t num_states = statement.results.size();
  std::copy_n(right, num_states, frame.states.begin() + static_cast<ptrdiff_t>(num_states));
  std::copy_n(left, num_states, frame.states.begin());
  const Status status = combine_states(statement, frame);
  std::copy_n(frame.states.begin(), num_states, into);
  return status;
}

}  // namespace tessera::kernels
