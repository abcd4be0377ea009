#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// A number of bytes as people read it, in powers of 1024: "512 bytes", "1.5 KiB", "4 GiB".
/// Three significant digits.
std::string byte_size_text(int64_t bytes);

}  // namespace tessera
