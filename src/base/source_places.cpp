#include "base/source_places.h"

#include <algorithm>

namespace tessera {

SourcePlaces::SourcePlaces(const SourceText& source) : source_(source), line_starts_{0} {
  for (size_t byte = 0; byte < source.text.size(); ++byte) {
    if (source.text[byte] == '\n') {
      line_starts_.push_back(byte + 1);
    }
  }
}

SourcePosition SourcePlaces::position_of(int64_t byte) const {
  const auto size = static_cast<int64_t>(source_.text.size());
  const auto at = static_cast<size_t>(std::clamp<int64_t>(byte, 0, size));
  const auto next_line = std::upper_bound(line_starts_.begin(), line_starts_.end(), at);
  const SourceText line = {"", source_.text.substr(*(next_line - 1), at - *(next_line - 1))};
  return {next_line - line_starts_.begin(), tessera::position_of(line, size).column};
}

}  // namespace tessera
