#include "net/drawn_exchange.h"

#include <algorithm>
#include <random>

namespace tessera::net {

namespace {

constexpr int64_t kPiece = int64_t{64} << 20;

/// The byte at a place of the message of a seed.
class Bytes {
 public:
  explicit Bytes(uint64_t seed) : state_(seed | 1U) {}

  std::byte next() {
    if (left_ == 0) {
      state_ = state_ * 6364136223846793005U + 1442695040888963407U;
      word_ = state_ ^ (state_ >> 29U);
      left_ = 8;
    }
    --left_;
    const auto byte = static_cast<std::byte>(word_);
    word_ >>= 8U;
    return byte;
  }

 private:
  uint64_t state_;
  uint64_t word_ = 0;
  int left_ = 0;
};

}  // namespace

std::vector<int64_t> DrawnExchange::sizes(int32_t from, int32_t to) const {
  std::mt19937_64 random(seed_of(from, to, 0));
  std::vector<int64_t> sizes = {0, 1, 4096, 4097};
  // On both sides of what travels in one piece, between two of the processes only.
  if (from + to == 1) {
    sizes.insert(sizes.end(), {kPiece - 1, kPiece, kPiece + 1, longest_});
  }
  for (int i = 0; i < 40; ++i) {
    sizes.push_back(
        std::uniform_int_distribution<int64_t>(0, int64_t{1} << (random() % 21))(random));
  }
  std::shuffle(sizes.begin(), sizes.end(), random);
  return sizes;
}

void DrawnExchange::fill(int32_t from, int32_t to, size_t message,
                         std::span<std::byte> bytes) const {
  Bytes drawn(seed_of(from, to, message + 1));
  std::generate(bytes.begin(), bytes.end(), [&] { return drawn.next(); });
}

bool DrawnExchange::is_right(int32_t from, int32_t to, size_t message,
                             std::span<const std::byte> bytes) const {
  Bytes drawn(seed_of(from, to, message + 1));
  return std::all_of(bytes.begin(), bytes.end(), [&](std::byte b) { return b == drawn.next(); });
}

uint64_t DrawnExchange::seed_of(int32_t from, int32_t to, size_t message) const {
  const auto pair = static_cast<uint64_t>(from * num_processes_ + to);
  return (seed_ * 1000003U + pair) * 1000003U + message;
}

}  // namespace tessera::net
