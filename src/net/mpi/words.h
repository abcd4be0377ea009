#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "net/mpi/active_requests.h"

namespace tessera::net {

enum class WordKind : int32_t {
  offered,  // memory for more messages from the receiver
  begun,    // a long message: data pieces now coming from the sender
  failed,   // a process failed; data pieces that will ever come from the sender
  ended     // the sender requests nothing more
};

/// A word about the link, apart from its data, in its form of transport.
struct Word {
  WordKind kind = WordKind::offered;
  int32_t process = 0;  // that failed
  int64_t count = 0;
  ErrorKind error = ErrorKind::resource;  // the kind of the failure
  std::array<char, 1000> reason{};        // ends with a zero; only the part before travels
};

/// Sets a text as the reason, cut between characters of UTF-8 if it is too long.
void set_reason(Word& word, const std::string& reason);

/// A sender and receiver of words. Receives for them are posted before any can come, and again
/// after each, so that they do not pile up in MPI's memory.
///
/// Threads: the communicating one.
class Words {
 public:
  using Hear = std::function<void(int32_t from, const Word& word)>;

  Words(ActiveRequests& active, int32_t num_processes, Hear hear);
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  void say(int32_t to, const Word& word);

 private:
  void listen(Word& place);

  ActiveRequests& active_;
  Hear hear_;
  std::vector<Word> ring_;
};

}  // namespace tessera::net
