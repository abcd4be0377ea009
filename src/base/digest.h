#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

/// A digest of its parts: a name of 32 hexadecimal digits, the same on every machine. Different
/// parts have different names, except by chance; it does not resist forgery. Source: Fowler, Noll
/// and Vo, FNV-1a of 64 bits, from two initial values; its length closes a part.
class Digest {
 public:
  void add(std::string_view bytes) {
    add_bytes(bytes);
    add(static_cast<int64_t>(bytes.size()));
  }
  void add(int64_t number) {
    std::array<char, sizeof number> bytes{};
    for (size_t place = 0; place < bytes.size(); ++place) {
      bytes[place] = static_cast<char>(static_cast<uint64_t>(number) >> (8 * place));
    }
    add_bytes({bytes.data(), bytes.size()});
  }
  std::string text() const;

 private:
  void add_bytes(std::string_view bytes) {
    constexpr uint64_t kPrime = 1099511628211U;
    for (const char byte : bytes) {
      one_ = (one_ ^ static_cast<unsigned char>(byte)) * kPrime;
      other_ = (other_ ^ static_cast<unsigned char>(~byte)) * kPrime;
    }
  }

  uint64_t one_ = 14695981039346656037U;
  uint64_t other_ = 11400714819323198485U;
};

}  // namespace tessera
