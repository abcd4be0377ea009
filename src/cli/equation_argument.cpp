#include "cli/equation_argument.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "cli/type_argument.h"
#include "engine/files/input_files.h"

namespace tessera::cli {

namespace {

/// Returns the text without every occurrence of a part.
std::string without(std::string text, const std::string& part) {
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part)) {
    text.erase(at, part.size());
  }
  return text;
}

bool is_of_letters(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalpha(c) != 0 || c == ' '; });
}

/// Returns the end of the name before a `=`, if the argument has one.
std::optional<size_t> end_of_name(const std::string& argument) {
  const size_t sign = argument.find('=');
  return sign == std::string::npos || sign == 0 ? std::nullopt : std::optional(sign);
}

/// Returns an operand's name, before equal ones are made distinct: the user's, a type's by its
/// place, a file's own.
std::string wanted_name(const std::string& argument, size_t place) {
  const std::optional<size_t> sign = end_of_name(argument);
  return sign                      ? argument.substr(0, *sign)
         : type_argument(argument) ? fmt::format("x{}", place)
                                   : argument;
}

}  // namespace

bool is_equation(const std::string& text, const std::vector<std::string>& operands) {
  if (std::filesystem::exists(text) || text.empty()) {
    return false;
  }
  const std::string letters = without(without(without(text, "->"), "..."), ",");
  const bool has_sign = letters.size() < text.size();
  const bool has_unnamed = std::any_of(operands.begin(), operands.end(),
                                       [](const auto& operand) { return !end_of_name(operand); });
  return is_of_letters(letters) && (has_sign || has_unnamed);
}

std::vector<EquationOperand> equation_operands(const std::vector<std::string>& arguments) {
  std::vector<std::string> wanted;
  wanted.reserve(arguments.size());
  for (const std::string& argument : arguments) {
    wanted.push_back(wanted_name(argument, wanted.size() + 1));
  }
  const std::vector<std::string> names = engine::operand_names(wanted);
  std::vector<EquationOperand> operands;
  for (size_t number = 0; number < names.size(); ++number) {
    const std::optional<size_t> sign = end_of_name(arguments[number]);
    operands.push_back(
        {names[number], sign ? arguments[number].substr(*sign + 1) : arguments[number]});
  }
  return operands;
}

std::string equation_text(const std::string& argument) {
  return argument.substr(std::min(argument.find_first_not_of(' '), argument.size()));
}

}  // namespace tessera::cli
