#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tessera {

/// Formats a number of bytes for people, in powers of 1024: "512 bytes", "1.5 KiB", "4 GiB". Three
/// significant digits.
std::string byte_size_text(int64_t bytes);

/// Reads a number of bytes in the forms that people write: "512MiB", "1.5 GiB", "2GB" (powers of
/// 1000), "4G" (of 1024), "65536". Nothing if it is none, is negative or has more than 62 bits.
std::optional<int64_t> parse_byte_size(const std::string& text);

}  // namespace tessera
