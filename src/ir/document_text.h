#pragma once

#include <cstddef>
#include <string_view>

namespace tessera::ir {

/// Bytes up to the first white space, '#' or closing bracket that stands outside brackets and
/// quotes; brackets that do not match end it too.
size_t length_of_value(std::string_view text);

/// Bytes of `name=` at the start of a text; 0 if there is none.
size_t length_of_parameter_name(std::string_view text);

}  // namespace tessera::ir
