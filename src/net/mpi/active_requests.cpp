#include "net/mpi/active_requests.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"

namespace tessera::net {

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) {
    return;
  }
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int num_characters = 0;
  MPI_Error_string(code, text.data(), &num_characters);
  throw_error(ErrorKind::internal, "{} fails: {}", call,
              std::string_view(text.data(), static_cast<size_t>(num_characters)));
}

void ActiveRequests::add(Direction direction, MPI_Request request, Finished finished) {
  requests_.push_back(request);
  entries_.push_back({direction, std::move(finished)});
  num_sends_ += direction == Direction::out ? 1 : 0;
}

/// Returns the complete requests, by place.
std::vector<ActiveRequests::Complete> ActiveRequests::complete() {
  places_.resize(requests_.size());
  statuses_.resize(requests_.size());
  int count = 0;
  const int code = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                                places_.data(), statuses_.data());
  std::vector<Complete> complete;
  for (size_t i = 0; i < static_cast<size_t>(std::max(count, 0)); ++i) {
    if (code == MPI_ERR_IN_STATUS) {
      check_mpi(statuses_[i].MPI_ERROR, "a send or a receive");
    }
    complete.push_back({static_cast<size_t>(places_[i]), statuses_[i]});
  }
  check_mpi(code, "MPI_Testsome");
  std::sort(complete.begin(), complete.end(),
            [](const Complete& a, const Complete& b) { return a.place < b.place; });
  return complete;
}

bool ActiveRequests::test() {
  if (requests_.empty()) {
    return false;
  }
  const std::vector<Complete> complete = this->complete();
  if (complete.empty()) {
    return false;
  }
  const std::vector<Entry> entries = take(complete);
  for (size_t i = 0; i < entries.size(); ++i) {
    int is_cancelled = 0;
    MPI_Test_cancelled(&complete[i].status, &is_cancelled);
    if (is_cancelled == 0) {
      int num_bytes = 0;
      MPI_Get_count(&complete[i].status, MPI_BYTE, &num_bytes);
      entries[i].finished(complete[i].status.MPI_SOURCE, num_bytes);
    }
  }
  return true;
}

std::vector<ActiveRequests::Entry> ActiveRequests::take(const std::vector<Complete>& complete) {
  std::vector<Entry> taken;
  auto next = complete.begin();
  size_t kept = 0;
  for (size_t place = 0; place < requests_.size(); ++place) {
    if (next != complete.end() && next->place == place) {
      num_sends_ -= entries_[place].direction == Direction::out ? 1 : 0;
      taken.push_back(std::move(entries_[place]));
      ++next;
      continue;
    }
    if (kept != place) {
      requests_[kept] = requests_[place];
      entries_[kept] = std::move(entries_[place]);
    }
    ++kept;
  }
  requests_.resize(kept);
  entries_.resize(kept);
  return taken;
}

void ActiveRequests::cancel_receives() {
  for (size_t place = 0; place < requests_.size(); ++place) {
    if (entries_[place].direction == Direction::in) {
      check_mpi(MPI_Cancel(&requests_[place]), "MPI_Cancel");
    }
  }
}

}  // namespace tessera::net
