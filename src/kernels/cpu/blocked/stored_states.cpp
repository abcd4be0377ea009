#include "kernels/cpu/blocked/stored_states.h"

#include "base/overload.h"

namespace tessera::kernels {

bool StoredStates::find(StateAddresses& states) const noexcept {
  bool are_stored = true;
  for (size_t state = 0; state < count(); ++state) {
    const BlockView* const view = view_of(state);
    states[state] = repeats(state)    ? machine_.constant(program_.results()[state])
                    : view != nullptr ? dense_at(*view)
                                      : nullptr;
    are_stored = are_stored && states[state] != nullptr;
  }
  return are_stored;
}

/// Returns the stream that a value is, or, if it `is_made` of one stream, that stream; else null.
const BlockView* StoredStates::view_of_value(int32_t value, bool is_made) const noexcept {
  using Program = BlockProgram;
  return std::visit(
      Overload{
          [&](const Program::FromStream& read) -> const BlockView* { return views_ + read.stream; },
          [](const Program::FromConstant&) -> const BlockView* { return nullptr; },
          [](const Program::FromParameter&) -> const BlockView* { return nullptr; },
          [&](const Program::FromFunction& from) -> const BlockView* {
            return is_made ? view_of_value(from.arguments[0], false) : nullptr;
          }},
      program_.values()[static_cast<size_t>(value)].from);
}

const BlockView* StoredStates::view_of(size_t state) const noexcept {
  return view_of_value(program_.results()[state], state == 0 && is_first_made_);
}

int64_t StoredStates::step(size_t state, int label) const noexcept {
  const BlockView* const view = view_of(state);
  return view == nullptr ? 0 : view->stream->step[static_cast<size_t>(label)];
}

bool StoredStates::repeats(size_t state) const noexcept {
  const auto value = static_cast<size_t>(program_.results()[state]);
  return std::holds_alternative<BlockProgram::FromConstant>(program_.values()[value].from);
}

void fetch_start(const void* block) noexcept {
  constexpr int64_t kStart = 512;
  constexpr int64_t kLine = 64;
  for (int64_t byte = 0; byte < kStart; byte += kLine) {
    __builtin_prefetch(static_cast<const std::byte*>(block) + byte, 0, 2);
  }
}

}  // namespace tessera::kernels
