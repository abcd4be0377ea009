#include "io/mapped_part.h"

#include <atomic>
#include <csetjmp>
#include <csignal>

#include <sys/mman.h>

namespace tessera::io {

namespace {

// NOLINTBEGIN(cert-err52-cpp,modernize-avoid-setjmp-longjmp): the system only sends a signal

/// The place where a look of this thread continues if a page is unavailable; null while there is
/// none.
thread_local sigjmp_buf* volatile end_of_look = nullptr;

/// The earlier handler of bus errors.
struct sigaction earlier_action {};

void end_look(int) {
  if (end_of_look != nullptr) {
    siglongjmp(*end_of_look, 1);
  }
  // gets it once more, because the failed access is repeated
  ::sigaction(SIGBUS, &earlier_action, nullptr);
}

bool catch_bus_errors() {
  struct sigaction action {};
  action.sa_handler = &end_look;
  action.sa_flags = SA_NODEFER;  // it is left by a jump
  return ::sigaction(SIGBUS, &action, &earlier_action) == 0;
}

/// Runs `look`. Nothing in here has a destructor.
bool look_to_the_end(const std::byte* mapped, LookAtBytes look, void* state) {
  sigjmp_buf end;
  if (sigsetjmp(end, 0) != 0) {
    end_of_look = nullptr;
    return false;
  }
  end_of_look = &end;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  look(mapped, state);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  end_of_look = nullptr;
  return true;
}

// NOLINTEND(cert-err52-cpp,modernize-avoid-setjmp-longjmp)

}  // namespace

bool look_at_mapped(const File& file, int64_t begin, int64_t end, LookAtBytes look, void* state) {
  static const bool is_caught = catch_bus_errors();
  const auto bytes = static_cast<size_t>(end - begin);
  void* const mapped = is_caught
                           ? ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.descriptor(), begin)
                           : MAP_FAILED;
  if (mapped == MAP_FAILED) {
    return false;
  }
  const bool is_whole = look_to_the_end(static_cast<const std::byte*>(mapped), look, state);
  ::munmap(mapped, bytes);
  return is_whole;
}

}  // namespace tessera::io
