#pragma once

#include <cstddef>
#include <string_view>

namespace tessera::ir {

/// Counts the bytes up to the first white space, '#' or closing bracket outside brackets and
/// quotes; unmatched brackets end it too.
size_t length_of_value(std::string_view text);

/// Counts the bytes of `name=` at the start of a text; 0 if there is none.
size_t length_of_parameter_name(std::string_view text);

}  // namespace tessera::ir
