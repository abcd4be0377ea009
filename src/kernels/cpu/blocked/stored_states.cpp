#include "kernels/cpu/blocked/stored_states.h"

#include "base/overload.h"

namespace tessera::kernels {

bool StoredStates::find(StateAddresses& states) const noexcept {
  bool are_stored = true;
  for (size_t state = 0; state < count(); ++state) {
    const int32_t result = program_.results()[state];
    states[state] = std::visit(
        Overload{[&](const BlockProgram::FromConstant&) { return machine_.constant(result); },
                 [&](const BlockProgram::FromStream& from) -> const void* {
                   return dense_at(views_[static_cast<size_t>(from.stream)]);
                 },
                 [](const BlockProgram::FromParameter&) -> const void* { return nullptr; },
                 [&](const BlockProgram::FromFunction& from) -> const void* {
                   return is_first_made_ && state == 0 ? stream_of(from) : nullptr;
                 }},
        program_.values()[static_cast<size_t>(result)].from);
    are_stored = are_stored && states[state] != nullptr;
  }
  return are_stored;
}

/// Where the only argument lies; null where it is computed.
const void* StoredStates::stream_of(const BlockProgram::FromFunction& from) const noexcept {
  using Program = BlockProgram;
  return std::visit(Overload{[&](const Program::FromStream& read) -> const void* {
                               return dense_at(views_[static_cast<size_t>(read.stream)]);
                             },
                             [](const Program::FromConstant&) -> const void* { return nullptr; },
                             [](const Program::FromParameter&) -> const void* { return nullptr; },
                             [](const Program::FromFunction&) -> const void* { return nullptr; }},
                    program_.values()[static_cast<size_t>(from.arguments[0])].from);
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
