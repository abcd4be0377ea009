#pragma once

#include <span>
#include <string_view>

namespace tessera::frontend {

/// A call in the syntax of a function that is not a registered function, because its result depends
/// on more than the values of its arguments.
struct LanguageCall {
  std::string_view name;
  std::string_view call;  // "index(i)"
  std::string_view summary;
  std::string_view numpy;  // numpy's name, or another library's in full; may be empty
  std::string_view example;
};

inline constexpr std::string_view kConcat = "concat";
inline constexpr std::string_view kFloating = "floating";
inline constexpr std::string_view kIndex = "index";
inline constexpr std::string_view kKeep = "keep";
inline constexpr std::string_view kMasked = "masked";
/// A call that is true if masked(x, mask) leaves x in; no program writes it.
inline constexpr std::string_view kIsUnmasked = "(is unmasked)";
inline constexpr std::string_view kSize = "size";
/// A call that casts an integer to i64, as an index or the number of a group; no program writes it.
inline constexpr std::string_view kPosition = "(position)";

// Calls for the prelude. widened(x) is x in f32 if x is f16 or bf16, else floating(x). narrowed(y,
// x) is y in the dtype of x if that is f16 or bf16, else y.
inline constexpr std::string_view kWidened = "widened";
inline constexpr std::string_view kNarrowed = "narrowed";

/// Returns all language calls but the dtypes, which convert under their names.
std::span<const LanguageCall> language_calls();

}  // namespace tessera::frontend
