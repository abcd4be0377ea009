#include "simulate/play.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

namespace tessera::simulate {

namespace {

constexpr const char* kLibrary = "libtessera_simgrid.so";

/// The first byte of the child's answer; the rest depends on it.
enum class Answer : char { played = 'p', library_missing = 'm', failed = 'f' };

/// One end of a pipe, closed with it.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  void close() {
    if (number_ >= 0) {
      ::close(number_);
      number_ = -1;
    }
  }

 private:
  int number_;
};

void append(std::string& bytes, const void* from, size_t size) {
  bytes.append(static_cast<const char*>(from), size);
}

std::string answer_of(Answer answer, std::string_view text) {
  return std::string(1, static_cast<char>(answer)) + std::string(text);
}

const char* fault_of_loading() {
  return ::dlerror();  // NOLINT(concurrency-mt-unsafe): a child of fork has one thread
}

/// Plays the workload in the child. Returns the result as bytes.
std::string played_by_library(const Workload& workload, const Cluster& cluster) {
  // Searches where the program's library path leads.
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return answer_of(Answer::library_missing, fault_of_loading());
  }
  const auto play_function = reinterpret_cast<PlayFunction>(::dlsym(library, kPlayFunctionName));
  if (play_function == nullptr) {
    return answer_of(Answer::library_missing, fault_of_loading());
  }
  Player player(workload, cluster);
  play_function(cluster, player);
  if (const std::string fault = player.fault(); !fault.empty()) {
    return answer_of(Answer::failed, fault);
  }
  std::string bytes = answer_of(Answer::played, "");
  append(bytes, player.periods().data(), player.periods().size() * sizeof(Period));
  append(bytes, player.peak_bytes().data(), player.peak_bytes().size() * sizeof(int64_t));
  append(bytes, player.paged_bytes().data(), player.paged_bytes().size() * sizeof(int64_t));
  return bytes;
}

std::string bytes_of_child(const Workload& workload, const Cluster& cluster) noexcept {
  try {
    return played_by_library(workload, cluster);
  } catch (const std::exception& error) {
    return answer_of(Answer::failed, error.what());
  }
}

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return;  // the parent is gone
    }
    bytes.remove_prefix(static_cast<size_t>(std::max<ssize_t>(written, 0)));
  }
}

std::string read_all(int descriptor) {
  std::string bytes;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got == 0 || (got < 0 && errno != EINTR)) {
      return bytes;
    }
    bytes.append(buffer.data(), static_cast<size_t>(std::max<ssize_t>(got, 0)));
  }
}

[[noreturn]] void refuse_call(const char* call) {
  throw Error(ErrorKind::resource, fmt::format("the system refuses {}: {}", call,
                                               std::generic_category().message(errno)));
}

/// Runs the child. Returns its answer.
std::string bytes_from_child(const Workload& workload, const Cluster& cluster) {
  int ends[2];
  if (::pipe(ends) != 0) {
    refuse_call("a pipe");
  }
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) {
    refuse_call("a process");
  }
  if (child == 0) {
    write_all(writing.number(), bytes_of_child(workload, cluster));
    ::_exit(0);  // nothing of the parent's is flushed or destroyed twice
  }
  writing.close();
  std::string bytes = read_all(reading.number());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return bytes;
}

/// Takes as many bytes as the values have from the front.
template <class T>
void take(std::string_view& bytes, std::vector<T>& values) {
  const size_t size = values.size() * sizeof(T);
  TESSERA_CHECK(bytes.size() >= size, "a simulation gives {} bytes less", size - bytes.size());
  if (size > 0) {
    std::memcpy(values.data(), bytes.data(), size);
  }
  bytes.remove_prefix(size);
}

Played unpacked(std::string_view bytes, const Workload& workload, const Cluster& cluster) {
  Played played;
  played.periods.resize(workload.activities.size());
  played.peak_bytes.resize(cluster.sites.size());
  played.paged_bytes.resize(cluster.sites.size());
  take(bytes, played.periods);
  take(bytes, played.peak_bytes);
  take(bytes, played.paged_bytes);
  return played;
}

}  // namespace

double Played::makespan() const {
  double end = 0;
  for (const Period& period : periods) {
    end = std::max(end, period.end);
  }
  return end;
}

Played play(const Workload& workload, const Cluster& cluster) {
  const std::string bytes = bytes_from_child(workload, cluster);
  TESSERA_CHECK(!bytes.empty(), "the process that simulates ended early");
  const std::string_view rest = std::string_view(bytes).substr(1);
  switch (static_cast<Answer>(bytes.front())) {
    case Answer::played:
      return unpacked(rest, workload, cluster);
    case Answer::library_missing:
      throw_error(ErrorKind::unsupported,
                  "simulating needs {}, which is built where SimGrid (Debian's libsimgrid-dev) is "
                  "installed: {}",
                  kLibrary, rest);
    case Answer::failed:
      break;
  }
  throw_error(ErrorKind::internal, "the simulation fails: {}", rest);
}

}  // namespace tessera::simulate
