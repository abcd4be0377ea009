#include "cli/standard_streams.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"

namespace tessera::cli {

namespace {

bool is_silent = false;

}  // namespace

void be_silent() {
  is_silent = true;
}

void keep_closed_streams_closed() {
  // open() takes the lowest free descriptor: that of a closed standard stream, if there is one. It
  // is opened for reading, so that writing to the stream fails as before.
  int descriptor = 0;
  do {
    descriptor = ::open("/dev/null", O_RDONLY);
  } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor >= 0) {
    ::close(descriptor);
  }
}

void write_output(std::string_view text) {
  if (is_silent) {
    return;
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    const std::string reason = std::generic_category().message(errno);
    throw_error(ErrorKind::resource, "cannot write to standard output: {}", reason);
  }
}

void write_message(const std::string& line) {
  if (!is_silent) {
    const std::string text = line + "\n";
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
}

}  // namespace tessera::cli
