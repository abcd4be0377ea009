#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::simulate {

/// Places in a text, as bytes from its begin, that the JSON library does not tell. All REQUIRE that
/// the text is JSON.

/// Where an element of an array begins that is a member of the outermost object, by its number from
/// 0; 0 where it is not there.
int64_t begin_of_element(std::string_view text, std::string_view array, size_t number);

/// Where a member of the outermost object begins, by its name; 0 where it is not there.
int64_t begin_of_member(std::string_view text, std::string_view name);

/// A member that an object has a second time.
struct RepeatedMember {
  std::string name;  // as it is written, in quotes
  int64_t place = 0;
};

/// The first of a text: a reader of JSON may take the first, the last or neither (RFC 8259, 4).
std::optional<RepeatedMember> repeated_member(std::string_view text);

}  // namespace tessera::simulate
