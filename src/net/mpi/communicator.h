#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "net/delays.h"
#include "net/mpi/active_requests.h"
#include "net/mpi/callers.h"
#include "net/mpi/channel.h"
#include "net/mpi/pause.h"
#include "net/mpi/words.h"

namespace tessera::net {

/// The communicating thread's work from MPI's start until its end: it sends and receives for
/// callers, and exchanges the states of processes.
///
/// A receiver requests all of a message from MPI before it offers memory for it, and a sender waits
/// for the offer, so that arrivals always go to their own memory.
///
/// After a failure no message is begun. Every process tells all others of it, and how many pieces
/// will ever come; once those have come, MPI does not touch memory of callers. If that takes too
/// long, because a process is dead or stopped, MPI is not called any more.
///
/// Threads: the communicating one.
class Communicator {
 public:
  Communicator(Callers& callers, int32_t process, int32_t num_processes,
               const DelaySettings& delays);

  /// Works until the end is requested, and all requests are done or a failure is known. Returns
  /// true if MPI may be ended: nothing is in progress, and all processes know of the end.
  bool run();

 private:
  struct Peer {
    Channel out;
    Channel in;
    std::deque<Delays::Time> offers;  // times to tell it of each
    bool has_ended = false;
    int64_t num_pieces_begun = 0;          // by it, arrived or coming
    std::optional<int64_t> num_pieces_in;  // total, once it tells after a failure
  };

  Peer& peer(int32_t process) { return peers_[static_cast<size_t>(process)]; }
  void work_until_end();
  bool step();
  void take(Request request);
  bool start(Peer& peer, int32_t process);
  Delays::Time next_due() const;
  bool is_moving() const;
  void hear(int32_t from, const Word& word);
  void end();
  bool is_done() const;
  bool close_down();
  void say_failure(const Failure& failure);
  bool is_settled() const;
  template <class IsSo>
  bool test_until(const IsSo& is_so, Callers::Duration longest);

  Callers& callers_;
  int32_t process_;
  Delays delays_;
  Pause pause_;
  ActiveRequests active_;
  std::deque<Peer> peers_;  // their places in memory stay; the process itself among them, unused
  std::optional<Words> words_;
  bool has_ended_ = false;
};

}  // namespace tessera::net
