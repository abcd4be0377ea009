#include "program/growing/label.h"

#include <string_view>

#include <fmt/format.h>

namespace tessera::program {

namespace {

constexpr std::string_view kLetters = "ijklmnpqrstuvwxyzabcdefgh";

}  // namespace

std::string name_of(const Label& label) {
  const auto number = static_cast<size_t>(label.number);
  // Letters beyond the last are doubled, then tripled, …
  const std::string letters(number / kLetters.size() + 1, kLetters[number % kLetters.size()]);
  return fmt::format("{}_{}", letters, label.extent);
}

Labels FreshLabels::of(const Shape& shape) {
  Labels labels;
  for (const int64_t extent : shape) {
    labels.push_back(of(extent));
  }
  return labels;
}

}  // namespace tessera::program
