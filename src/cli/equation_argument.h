#pragma once

#include <string>
#include <vector>

namespace tessera::cli {

/// True if `explain` is given an equation: a text in numpy's notation, and no file of that name. A
/// word of letters alone is one if an operand stands without NAME=, which an input of a program
/// never does.
bool is_equation(const std::string& text, const std::vector<std::string>& operands);

/// An operand of an equation: a type or a file, under the given name or a generated one.
struct EquationOperand {
  std::string name;
  std::string spec;  // f32[1000,64], path or dtype:path
};

/// Reads `[NAME=]f32[1000,64]` and `[NAME=][dtype:]path`. Without a name, a file has its own and a
/// type one by its place (x1, x2); equal names are made distinct.
std::vector<EquationOperand> equation_operands(const std::vector<std::string>& arguments);

/// Returns the text without the blanks before it (see command_line.cpp).
std::string equation_text(const std::string& argument);

}  // namespace tessera::cli
