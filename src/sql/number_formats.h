#pragma once

#include <string>
#include <vector>

namespace tessera::sql {

/// A piece of a format of printf: text, or a conversion, which takes an argument.
struct FormatPiece {
  std::string text;
  bool takes_argument = false;
  bool is_of_number = false;
};

/// Splits a format. Empty if a width is an argument (`*`), which the pieces do not say.
std::vector<FormatPiece> pieces_of_format(const std::string& format);

/// Returns the conversion of a text with the width of a conversion of a number: `%8s` for `%+8.2f`.
std::string text_conversion(const std::string& conversion);

}  // namespace tessera::sql
