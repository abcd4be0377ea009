#include "cli/type_argument.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/error.h"
#include "base/suggest.h"
#include "types/dtype_names.h"

namespace tessera::cli {

namespace {

/// True if a text cannot be meant as a file: `f33[2]`, `f32[2`, `f32`, but not `a.npy`,
/// `dir/b[1].npy`.
bool is_meant_as_type(const std::string& text) {
  const size_t bracket = std::min(text.find('['), text.size());
  const bool is_word = std::all_of(text.begin(), text.begin() + static_cast<int64_t>(bracket),
                                   [](unsigned char sign) { return std::isalnum(sign) != 0; });
  const bool has_type_form =
      bracket == text.size() ? parse_dtype(text).has_value() : text.find('.', bracket) == text.npos;
  std::error_code ignored;
  return is_word && has_type_form && !std::filesystem::exists(text, ignored);
}

/// Describes the fault of a text that is meant as a type.
std::string fault_of(const std::string& text) {
  const size_t bracket = text.find('[');
  if (bracket == text.npos) {
    return fmt::format("a scalar is {}[], an array {}[1000,64]", text, text);
  }
  const std::string dtype = text.substr(0, bracket);
  if (!parse_dtype(dtype)) {
    const std::string hint = did_you_mean(dtype, dtype_names());
    return fmt::format("there is no dtype '{}'{}{}", dtype, hint.empty() ? "" : "; ", hint);
  }
  if (text.back() != ']') {
    return "the bracket is not closed";
  }
  return "extents are whole numbers from 0 on, with commas between them, as in f32[1000,64]";
}

}  // namespace

std::optional<ArrayType> type_argument(const std::string& text) {
  std::optional<ArrayType> type = parse_array_type(text);
  if (!type && is_meant_as_type(text)) {
    throw_error(ErrorKind::user, "{} is no type: {}", text, fault_of(text));
  }
  return type;
}

}  // namespace tessera::cli
