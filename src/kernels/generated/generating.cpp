#include "kernels/generated/generating.h"

#include <array>
#include <utility>

namespace tessera::kernels::generated {

namespace {

constexpr std::array<std::pair<Generating, std::string_view>, 3> kNames = {
    {{Generating::off, "off"}, {Generating::automatic, "auto"}, {Generating::always, "always"}}};

}  // namespace

std::string_view name_of(Generating generating) {
  for (const auto& [choice, name] : kNames) {
    if (choice == generating) {
      return name;
    }
  }
  return {};
}

std::optional<Generating> generating_named(std::string_view name) {
  for (const auto& [choice, known] : kNames) {
    if (known == name) {
      return choice;
    }
  }
  return std::nullopt;
}

}  // namespace tessera::kernels::generated
