#include "io/mapped_runs.h"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstring>

#include <sys/mman.h>

namespace tessera::io {

namespace {

// NOLINTBEGIN(cert-err52-cpp,modernize-avoid-setjmp-longjmp): the system says so by a signal alone

/// Where a copy of this thread goes on if a page is not to be had; null while there is none.
thread_local sigjmp_buf* volatile end_of_copy = nullptr;

/// What handled bus errors before.
struct sigaction earlier_action {};

void end_copy(int) {
  if (end_of_copy != nullptr) {
    siglongjmp(*end_of_copy, 1);
  }
  ::sigaction(SIGBUS, &earlier_action, nullptr);  // gets it once more, as what failed is repeated
}

bool catch_bus_errors() {
  struct sigaction action {};
  action.sa_handler = &end_copy;
  action.sa_flags = SA_NODEFER;  // it is left by a jump
  return ::sigaction(SIGBUS, &action, &earlier_action) == 0;
}

/// Nothing in here has a destructor.
bool copy(const std::byte* mapped, int64_t begin, std::span<const Run> runs) {
  sigjmp_buf end;
  if (sigsetjmp(end, 0) != 0) {
    end_of_copy = nullptr;
    return false;
  }
  end_of_copy = &end;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  for (const Run& run : runs) {
    std::memcpy(run.into, mapped + (run.offset - begin), static_cast<size_t>(run.bytes));
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  end_of_copy = nullptr;
  return true;
}

// NOLINTEND(cert-err52-cpp,modernize-avoid-setjmp-longjmp)

}  // namespace

bool copy_mapped(const File& file, int64_t begin, int64_t end, std::span<const Run> runs) {
  static const bool is_caught = catch_bus_errors();
  const auto bytes = static_cast<size_t>(end - begin);
  void* const mapped = is_caught
                           ? ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.descriptor(), begin)
                           : MAP_FAILED;
  if (mapped == MAP_FAILED) {
    return false;
  }
  const bool is_copied = copy(static_cast<const std::byte*>(mapped), begin, runs);
  ::munmap(mapped, bytes);
  return is_copied;
}

}  // namespace tessera::io
