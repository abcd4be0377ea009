#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/link.h"
#include "net/mpi/active_requests.h"

namespace tessera::net {

/// A message that a caller wants sent or received.
struct Request {
  Direction direction = Direction::out;
  int32_t peer = 0;
  std::span<std::byte> memory;  // only read where it is sent
  Link::Done done;
};

/// What the threads that call a link ask for, and what the communicating thread tells them. It is
/// all that the two have in common.
class Callers {
 public:
  using Duration = std::chrono::steady_clock::duration;

  explicit Callers(int32_t num_processes)
      : num_offered_(static_cast<size_t>(num_processes)),
        num_sent_(static_cast<size_t>(num_processes)) {}

  // For callers. REQUIRES of `ask` for a send what Link::send does.

  void ask(Request request);
  void ask_for_end();
  int64_t num_offered(int32_t by) const;
  int64_t num_sent(int32_t to) const;
  /// Once a failure is known, to listen to it no more takes until the link leaves all memory alone.
  void listen(Listener* listener);

  // For both.

  /// The first failure stays.
  void fail(Failure failure);
  std::optional<Failure> failure() const;

  // For the communicating thread.

  std::vector<Request> take_requests();
  bool is_end_asked_for() const;
  /// Sleeps until something is asked for or a failure is known, at most so long.
  void sleep(Duration longest);
  void wait_for_end();

  void tell_offered(int32_t by, int64_t num_messages);
  void tell_failure();
  /// Calls it, unless a failure is known.
  void conclude(const Link::Done& done);
  /// From now on no memory of theirs is touched.
  void tell_settled();

 private:
  std::mutex telling_mutex_;  // taken before the other, held while something is told
  Listener* listener_ = nullptr;
  bool was_told_ = false;  // whether the listener knows of the failure

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable woken_;
  std::vector<Request> requests_;
  std::optional<Failure> failure_;
  bool is_end_asked_for_ = false;
  bool is_settled_ = false;
  std::vector<int64_t> num_offered_;
  std::vector<int64_t> num_sent_;
};

}  // namespace tessera::net
