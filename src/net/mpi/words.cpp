#include "net/mpi/words.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "net/mpi/tags.h"

namespace tessera::net {

namespace {

/// Posted receives for words: some for every process, and more for a busy one.
constexpr int32_t kOfEach = 2;
constexpr int32_t kForAll = 32;

}  // namespace

void set_reason(Word& word, const std::string& reason) {
  size_t length = std::min(reason.size(), word.reason.size() - 1);
  while (length > 0 && length < reason.size() &&
         (static_cast<unsigned char>(reason[length]) & 0xC0U) == 0x80U) {
    --length;
  }
  word.reason = {};
  std::copy_n(reason.begin(), length, word.reason.begin());
}

Words::Words(ActiveRequests& active, int32_t num_processes, Hear hear)
    : active_(active),
      hear_(std::move(hear)),
      ring_(static_cast<size_t>(kOfEach * num_processes + kForAll)) {
  for (Word& place : ring_) {
    listen(place);
  }
}

void Words::listen(Word& place) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(
      MPI_Irecv(&place, sizeof(Word), MPI_BYTE, MPI_ANY_SOURCE, kWordTag, MPI_COMM_WORLD, &request),
      "MPI_Irecv");
  // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): waited for there
  active_.add(Direction::in, request, [this, &place](int32_t from, int64_t) {
    const Word word = place;
    listen(place);
    hear_(from, word);
  });
}

void Words::say(int32_t to, const Word& word) {
  const auto kept = std::make_shared<const Word>(word);
  const size_t size = offsetof(Word, reason) + std::strlen(kept->reason.data()) + 1;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Isend(kept.get(), static_cast<int>(size), MPI_BYTE, to, kWordTag, MPI_COMM_WORLD,
                      &request),
            "MPI_Isend");
  // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): waited for there
  active_.add(Direction::out, request, [kept](int32_t, int64_t) {});
}

}  // namespace tessera::net
