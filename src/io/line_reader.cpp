#include "io/line_reader.h"

#include <algorithm>

#include "base/byte_order_mark.h"

namespace tessera::io {

namespace {

constexpr int64_t kChunkBytes = 256 * 1024;

}  // namespace

/// Drops the lines that were read and reads on behind the rest. Returns false at the end of the
/// file.
bool LineReader::fill() {
  const int64_t bytes = std::min(kChunkBytes, bytes_ - read_);
  buffer_.erase(0, next_);
  next_ = 0;
  const size_t kept = buffer_.size();
  buffer_.resize(kept + static_cast<size_t>(bytes));
  file_.read_exactly(read_, reinterpret_cast<std::byte*>(buffer_.data() + kept), bytes);
  read_ += bytes;
  return bytes > 0;
}

bool LineReader::next() {
  size_t end = buffer_.find('\n', next_);
  while (end == buffer_.npos) {
    const size_t searched = buffer_.size() - next_;
    if (!fill()) {
      break;
    }
    end = buffer_.find('\n', searched);
  }
  if (next_ == buffer_.size()) {
    return false;
  }
  end = std::min(end, buffer_.size());
  line_ = std::string_view(buffer_).substr(next_, end - next_);
  next_ = std::min(end + 1, buffer_.size());
  if (line_.ends_with('\r')) {
    line_.remove_suffix(1);
  }
  if (++number_ == 1 && line_.starts_with(kByteOrderMark)) {
    line_.remove_prefix(kByteOrderMark.size());
  }
  return true;
}

}  // namespace tessera::io
