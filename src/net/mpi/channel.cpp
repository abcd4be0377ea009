#include "net/mpi/channel.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "net/mpi/tags.h"

namespace tessera::net {

namespace {

constexpr int64_t kPieceBytes = int64_t{64} << 20;
constexpr int64_t kMostBytesSending = 4 * kPieceBytes;  // to one process
constexpr int64_t kLittle = int64_t{64} << 10;
static_assert(kPieceBytes < 2'147'479'552);

}  // namespace

void Channel::add(std::span<std::byte> memory, Link::Done done, Delays::Time due) {
  const auto size = static_cast<int64_t>(memory.size());
  // An empty message is a piece too: its receiver waits for its arrival.
  const int64_t num_pieces = std::max<int64_t>(1, (size + kPieceBytes - 1) / kPieceBytes);
  messages_.push_back({memory.data(), size, std::move(done), due, num_pieces, 0, 0});
}

bool Channel::start() {
  const int64_t num_before = num_started_;
  while (num_begun_ < messages_.size()) {
    Message& message = messages_[num_begun_];
    const int64_t size = std::min(kPieceBytes, message.size - message.num_started * kPieceBytes);
    const bool is_full = direction_ == Direction::out && bytes_under_way_ > 0 &&
                         bytes_under_way_ + size > kMostBytesSending;
    if (is_full || next_due() > std::chrono::steady_clock::now()) {
      break;
    }
    if (message.num_started == 0 && message.size > kLittle) {
      begun_ = num_started_ + message.num_pieces;
    }
    start_piece(message, size);
    num_begun_ += message.num_started == message.num_pieces ? 1 : 0;
  }
  return num_started_ > num_before;
}

Delays::Time Channel::next_due() const {
  return num_begun_ < messages_.size() ? messages_[num_begun_].due : Delays::Time::max();
}

void Channel::start_piece(Message& message, int64_t size) {
  std::byte* const begin = message.memory + message.num_started * kPieceBytes;
  MPI_Request request = MPI_REQUEST_NULL;
  if (direction_ == Direction::out) {
    check_mpi(MPI_Isend(begin, static_cast<int>(size), MPI_BYTE, peer_, kDataTag, MPI_COMM_WORLD,
                        &request),
              "MPI_Isend");
  } else {
    check_mpi(MPI_Irecv(begin, static_cast<int>(size), MPI_BYTE, peer_, kDataTag, MPI_COMM_WORLD,
                        &request),
              "MPI_Irecv");
  }
  ++message.num_started;
  ++num_started_;
  bytes_under_way_ += size;
  // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): waited for there
  active_.add(direction_, request, [this, &message, size](int32_t, int64_t num_bytes) {
    finish_piece(message, size, num_bytes);
  });
}

/// Finishes a piece. Messages are done in order: one is done only after those before it.
void Channel::finish_piece(Message& message, int64_t size, int64_t num_bytes) {
  TESSERA_CHECK(direction_ == Direction::out || num_bytes == size,
                "process {} sends {} bytes where memory for {} was offered", peer_, num_bytes,
                size);
  ++message.num_finished;
  ++num_finished_;
  bytes_under_way_ -= size;
  while (!messages_.empty() && messages_.front().num_finished == messages_.front().num_pieces) {
    const Link::Done done = std::move(messages_.front().done);
    messages_.pop_front();
    --num_begun_;
    conclude_(done);
  }
}

}  // namespace tessera::net
