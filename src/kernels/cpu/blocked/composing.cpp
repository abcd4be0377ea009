#include "kernels/cpu/blocked/composing.h"

#include <algorithm>
#include <span>

#include "kernels/isa/composition_table.h"

namespace tessera::kernels {

namespace {

using Value = BlockProgram::Value;
using FromFunction = BlockProgram::FromFunction;

std::span<const int32_t> arguments_of(const Value& value) {
  const auto* from = std::get_if<FromFunction>(&value.from);
  return from == nullptr
             ? std::span<const int32_t>()
             : std::span(from->arguments).first(static_cast<size_t>(from->num_arguments));
}

/// Counts the reads of every value by used values, and as a result.
std::vector<int> uses_of(const std::vector<Value>& values, const std::vector<int32_t>& results) {
  std::vector<int> uses(values.size(), 0);
  for (const int32_t result : results) {
    ++uses[static_cast<size_t>(result)];
  }
  for (size_t number = values.size(); number-- > 0;) {
    for (const int32_t argument : arguments_of(values[number])) {
      uses[static_cast<size_t>(argument)] += uses[number] == 0 ? 0 : 1;
    }
  }
  return uses;
}

/// Returns `outer` with the arguments of its argument at `position` in that one's place.
FromFunction joined(const FromFunction& outer, const FromFunction& inner, int32_t position,
                    BlockFunction function) {
  FromFunction both{function, {}, outer.num_arguments + inner.num_arguments - 1};
  auto next = std::copy_n(outer.arguments.begin(), position, both.arguments.begin());
  next = std::copy_n(inner.arguments.begin(), inner.num_arguments, next);
  std::copy(outer.arguments.begin() + position + 1, outer.arguments.begin() + outer.num_arguments,
            next);
  return both;
}

/// Composes a function with the first of its arguments that has a composition, and leaves that one
/// unused; returns false if there is none.
bool compose_one(FromFunction& outer, const std::vector<Value>& values, std::vector<int>& uses,
                 Isa isa) {
  for (int32_t position = 0; position < outer.num_arguments; ++position) {
    const auto argument = static_cast<size_t>(outer.arguments[static_cast<size_t>(position)]);
    const auto* const inner = std::get_if<FromFunction>(&values[argument].from);
    if (inner == nullptr || uses[argument] != 1) {
      continue;
    }
    for (const Composition& entry : compositions(isa)) {
      if (entry.outer == outer.function && entry.inner == inner->function &&
          entry.position == position) {
        outer = joined(outer, *inner, position, entry.composed);
        uses[argument] = 0;
        return true;
      }
    }
  }
  return false;
}

/// Removes the values that nothing uses; the others keep their order.
std::vector<Value> without_unused(const std::vector<Value>& values, const std::vector<int>& uses,
                                  std::vector<int32_t>& results) {
  std::vector<Value> left;
  std::vector<int32_t> place(values.size(), -1);
  for (size_t number = 0; number < values.size(); ++number) {
    if (uses[number] == 0) {
      continue;
    }
    place[number] = static_cast<int32_t>(left.size());
    left.push_back(values[number]);
    if (auto* from = std::get_if<FromFunction>(&left.back().from)) {
      for (int32_t position = 0; position < from->num_arguments; ++position) {
        int32_t& argument = from->arguments[static_cast<size_t>(position)];
        argument = place[static_cast<size_t>(argument)];
      }
    }
  }
  for (int32_t& result : results) {
    result = place[static_cast<size_t>(result)];
  }
  return left;
}

}  // namespace

std::vector<Value> composed(std::vector<Value> values, std::vector<int32_t>& results, Isa isa) {
  std::vector<int> uses = uses_of(values, results);
  for (size_t number = 0; number < values.size(); ++number) {
    auto* const outer = std::get_if<FromFunction>(&values[number].from);
    if (outer != nullptr && uses[number] != 0) {  // else it may not replace values of others
      while (compose_one(*outer, values, uses, isa)) {
      }
    }
  }
  return without_unused(values, uses, results);
}

}  // namespace tessera::kernels
