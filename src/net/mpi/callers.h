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

/// A message to be sent or received.
struct Request {
  Direction direction = Direction::out;
  int32_t peer = 0;
  std::span<std::byte> memory;  // read-only for a send
  Link::Done done;
};

/// The requests of a link's callers, and the notifications of the communicating thread. The two
/// share nothing else.
class Callers {
 public:
  using Duration = std::chrono::steady_clock::duration;

  explicit Callers(int32_t num_processes)
      : num_offered_(static_cast<size_t>(num_processes)),
        num_sent_(static_cast<size_t>(num_processes)) {}

  // For callers. REQUIRES for a send the same as Link::send.

  void ask(Request request);
  void ask_for_end();
  int64_t num_offered(int32_t by) const;
  int64_t num_sent(int32_t to) const;
  /// Sets the listener. Once a failure is known, removing it waits until the link leaves all memory
  /// alone.
  void listen(Listener* listener);

  // For both.

  /// The first failure stays.
  void fail(Failure failure);
  std::optional<Failure> failure() const;

  // For the communicating thread.

  std::vector<Request> take_requests();
  bool is_end_asked_for() const;
  /// Sleeps until something is requested or a failure is known, at most `longest`.
  void sleep(Duration longest);
  void wait_for_end();

  void tell_offered(int32_t by, int64_t num_messages);
  void tell_failure();
  /// Calls `done`, unless a failure is known.
  void conclude(const Link::Done& done);
  /// Notes that no memory of callers is touched from here on.
  void tell_settled();

 private:
  std::mutex telling_mutex_;  // taken before the other, held during a call
  Listener* listener_ = nullptr;
  bool was_told_ = false;  // true if the listener knows of the failure

  mutable std::mutex mutex_;  // of the members below
  std::condition_variable woken_;
  std::vector<Request> requests_;
  std::optional<Failure> failure_;
  bool is_end_asked_for_ = false;
  bool is_settled_ = false;
  std::vector<int64_t> num_offered_;
  std::vector<int64_t> num_sent_;
};

}  // namespace tessera::net
