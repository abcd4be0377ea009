#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "net/delays.h"
#include "net/link.h"
#include "net/mpi/active_requests.h"

namespace tessera::net {

/// The messages to one process, or those from it, in order. Each travels in pieces: MPI counts
/// bytes in an `int`, and one copy between processes moves at most 2,147,479,552 bytes.
/// All received pieces are requested at once, so that each finds its memory whenever it comes; only
/// some of the sent ones are, so that they arrive one after the other.
///
/// Threads: the communicating one.
class Channel {
 public:
  /// Calls `done` of a message, or not, as its owner decides.
  using Conclude = std::function<void(const Link::Done& done)>;

  Channel(Direction direction, int32_t peer, ActiveRequests& active, Conclude conclude)
      : direction_(direction), peer_(peer), active_(active), conclude_(std::move(conclude)) {}

  /// Adds the next message, not before it is due. Memory of a sent message is only read.
  void add(std::span<std::byte> memory, Link::Done done, Delays::Time due = {});

  /// Starts the pieces that may start. Returns true if there were any.
  bool start();

  /// Returns the number of pieces, if a message that takes several steps of MPI was begun since the
  /// last call; else nothing.
  std::optional<int64_t> take_begun() { return std::exchange(begun_, std::nullopt); }

  bool is_idle() const { return messages_.empty(); }
  bool has_bytes_under_way() const { return bytes_under_way_ > 0; }
  /// Returns when the next message may start; the end of time if none waits for that.
  Delays::Time next_due() const;

  /// Return how many pieces were ever started, and how many of them finished.
  int64_t num_started() const { return num_started_; }
  int64_t num_finished() const { return num_finished_; }

 private:
  struct Message {
    std::byte* memory = nullptr;
    int64_t size = 0;
    Link::Done done;
    Delays::Time due;
    int64_t num_pieces = 0;
    int64_t num_started = 0;
    int64_t num_finished = 0;
  };

  void start_piece(Message& message, int64_t size);
  void finish_piece(Message& message, int64_t size, int64_t num_bytes);

  Direction direction_;
  int32_t peer_;
  ActiveRequests& active_;
  Conclude conclude_;
  std::deque<Message> messages_;  // their places in memory stay while they wait
  size_t num_begun_ = 0;          // of them: all their pieces are started
  std::optional<int64_t> begun_;
  int64_t bytes_under_way_ = 0;
  int64_t num_started_ = 0;
  int64_t num_finished_ = 0;
};

}  // namespace tessera::net
