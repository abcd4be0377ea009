#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::simulate {

/// Places in a text, in bytes from its beginning, that the JSON library does not tell. All
/// functions REQUIRE that the text is JSON.

/// Returns the beginning of an element of an array that is a member of the outermost object, by its
/// number from 0; 0 if it is missing.
int64_t begin_of_element(std::string_view text, std::string_view array, size_t number);

/// Returns the beginning of a member of the outermost object, by its name; 0 if it is missing.
int64_t begin_of_member(std::string_view text, std::string_view name);

/// A member that an object has twice.
struct RepeatedMember {
  std::string name;  // with quotes, like in the text
  int64_t place = 0;
};

/// Returns the first repeated member: a reader of JSON may take the first, the last or neither (RFC
/// 8259, 4).
std::optional<RepeatedMember> repeated_member(std::string_view text);

}  // namespace tessera::simulate
