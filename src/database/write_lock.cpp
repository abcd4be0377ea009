#include "database/write_lock.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"

namespace tessera::database {

namespace {

/// Returns "process 4711 on host", the text that a holder writes into the lock.
std::string this_process() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("process {} on {}", ::getpid(), host.data());
}

std::string text_in(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t bytes = ::pread(descriptor, text.data(), text.size(), 0);
  return bytes > 0 ? std::string(text.data(), static_cast<size_t>(bytes)) : "another process";
}

/// Waits for a moment, because most statements of another writer are short. True if it got the
/// lock.
bool was_locked(int descriptor) {
  constexpr int kTries = 100;
  constexpr std::chrono::milliseconds kPause(20);
  for (int number = 0; ::flock(descriptor, LOCK_EX | LOCK_NB) != 0; ++number) {
    if (number == kTries) {
      return false;
    }
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace

WriteLock::WriteLock(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) {
    throw_error(ErrorKind::resource, "{}: {}", path, std::generic_category().message(errno));
  }
  if (!was_locked(descriptor_)) {
    const std::string holder = text_in(descriptor_);
    const bool is_read = ::flock(descriptor_, LOCK_SH | LOCK_NB) == 0;
    ::close(descriptor_);
    if (is_read) {
      throw_error(ErrorKind::resource,
                  "the database is being read by a process that may not write it, and can share it "
                  "with no writer; try again when that has ended");
    }
    throw_error(ErrorKind::resource,
                "the database is being written by {}; try again when that has ended", holder);
  }
  const std::string text = this_process();
  if (::ftruncate(descriptor_, 0) != 0 ||
      ::pwrite(descriptor_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    const int error = errno;
    ::close(descriptor_);
    throw_error(ErrorKind::resource, "{}: {}", path, std::generic_category().message(error));
  }
}

WriteLock::~WriteLock() {
  ::close(descriptor_);
}

ReadLock::ReadLock(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ >= 0 && ::flock(descriptor_, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    const std::string holder = text_in(descriptor_);
    ::close(descriptor_);
    throw_error(ErrorKind::resource,
                "the database is being written by {}, and who may not write it cannot read it "
                "meanwhile; try again when that has ended",
                holder);
  }
}

ReadLock::~ReadLock() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

}  // namespace tessera::database
