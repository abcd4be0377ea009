#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

/// Bytes of the UTF-8 character that starts at byte `at`; 0 if there is none.
size_t length_of_character(std::string_view text, size_t at);

/// Whether a character starts at this byte, however damaged what follows is.
bool starts_character(char byte);

int64_t count_characters(std::string_view text);

/// The cells of a terminal that the character which starts at byte `at` takes: two for a wide one
/// (ideographs), none for a mark on the one before, one for what cannot be shown.
int num_cells(std::string_view text, size_t at);

/// Bytes from anywhere as a message can show them: at most so many characters ("..." for the rest),
/// control characters and what is not UTF-8 as \x93.
std::string printable(std::string_view bytes, size_t most);

}  // namespace tessera
