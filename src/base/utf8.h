#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

/// Returns the bytes of the UTF-8 character that starts at byte `at`; 0 if there is none.
size_t length_of_character(std::string_view text, size_t at);

/// True if a character starts at this byte, even if its other bytes are damaged.
bool starts_character(char byte);

int64_t count_characters(std::string_view text);

/// Returns the cells of a terminal that the character which starts at byte `at` takes: two for a
/// wide one (ideographs), none for a mark on the one before, one for a character that cannot be
/// shown.
int num_cells(std::string_view text, size_t at);

/// Makes any bytes printable in a message: at most `most` characters ("..." for the rest), with
/// control characters and invalid UTF-8 as \x93.
std::string printable(std::string_view bytes, size_t most);

}  // namespace tessera
