#include "io/range_lock.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"

namespace tessera::io {

namespace {

int set_lock(int descriptor, short type, int64_t offset, int64_t bytes) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = offset;
  range.l_len = bytes;
  int result = 0;
  do {
    result = ::fcntl(descriptor, F_OFD_SETLKW, &range);
  } while (result != 0 && errno == EINTR);
  return result;
}

}  // namespace

RangeLock::RangeLock(const File& file, int64_t offset, int64_t bytes)
    : descriptor_(file.descriptor()), offset_(offset), bytes_(bytes) {
  if (set_lock(descriptor_, F_WRLCK, offset, bytes) != 0) {
    throw_error(ErrorKind::resource,
                "cannot lock {}, which several processes write: {}; write it to another filesystem",
                file.path(), std::generic_category().message(errno));
  }
}

RangeLock::~RangeLock() {
  set_lock(descriptor_, F_UNLCK, offset_, bytes_);
}

}  // namespace tessera::io
