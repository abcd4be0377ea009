#pragma once

#include <string>
#include <vector>

namespace tessera::cli {

/// Whether `explain` is given an equation: what numpy's notation has, and no file of that name.
/// A word of letters alone is one where an operand stands without NAME=, as no input of a program
/// may.
bool is_equation(const std::string& text, const std::vector<std::string>& operands);

/// An operand of an equation: a type or a file, under the name that is given or made up for it.
struct EquationOperand {
  std::string name;
  std::string spec;  // f32[1000,64], path or dtype:path
};

/// Reads `[NAME=]f32[1000,64]` and `[NAME=][dtype:]path`. Without a name a file has its own, and a
/// type its place (x1, x2); what is equal is told apart.
std::vector<EquationOperand> equation_operands(const std::vector<std::string>& arguments);

/// The text without the blanks before it (see command_line.cpp).
std::string equation_text(const std::string& argument);

}  // namespace tessera::cli
