#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <mpi.h>

namespace tessera::net {

/// Throws an `internal` Error with MPI's message for a failed call.
void check_mpi(int code, const char* call);

enum class Direction { out, in };

/// The sends and receives that MPI has accepted and that are not complete.
///
/// Threads: the communicating one.
class ActiveRequests {
 public:
  /// Called once, with the number of received bytes; not for a cancelled request.
  using Finished = std::function<void(int32_t from, int64_t num_bytes)>;

  void add(Direction direction, MPI_Request request, Finished finished);

  /// Lets MPI work and finishes complete requests, in the order of adding. Returns true if there
  /// were any. Errors: `internal`, by MPI.
  bool test();

  /// Cancels receives; those whose message is on its way are still received.
  void cancel_receives();

  bool is_empty() const { return requests_.empty(); }
  int64_t num_sends() const { return num_sends_; }

 private:
  struct Entry {
    Direction direction = Direction::out;
    Finished finished;
  };

  struct Complete {
    size_t place = 0;
    MPI_Status status{};
  };

  std::vector<Complete> complete();
  std::vector<Entry> take(const std::vector<Complete>& complete);

  std::vector<MPI_Request> requests_;
  std::vector<Entry> entries_;  // of each request
  int64_t num_sends_ = 0;
  std::vector<int> places_;  // filled by MPI_Testsome, like the statuses
  std::vector<MPI_Status> statuses_;
};

}  // namespace tessera::net
