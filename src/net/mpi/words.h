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
  offered,  // memory for so many more messages from the hearer
  begun,    // a long message: so many pieces of data now come or came from the speaker
  failed,   // a process cannot go on; so many pieces of data will ever come from the speaker
  ended     // the speaker asks for nothing any more
};

/// What processes say about the link, apart from its data, as it travels.
struct Word {
  WordKind kind = WordKind::offered;
  int32_t process = 0;  // that failed
  int64_t count = 0;
  ErrorKind error = ErrorKind::resource;  // of which kind the failure is
  std::array<char, 1000> reason{};        // ends with a zero; only that much of it travels
};

/// A text as a reason, cut where it is too long, between characters of UTF-8.
void set_reason(Word& word, const std::string& reason);

/// Says and hears words. Receives for them are posted before any can come, and again when one did,
/// so that they do not pile up in memory of MPI.
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
