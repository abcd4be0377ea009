#include "base/source_places.h"

#include <algorithm>
#include <string_view>

#include "base/utf8.h"

namespace tessera {

SourcePlaces::SourcePlaces(const SourceText& source) : source_(source), line_starts_{0} {
  int64_t num_characters = 0;
  for (size_t byte = 0; byte < source.text.size(); ++byte) {
    if (byte % kStride == 0) {
      characters_before_.push_back(num_characters);
    }
    num_characters += starts_character(source.text[byte]) ? 1 : 0;
    if (source.text[byte] == '\n') {
      line_starts_.push_back(byte + 1);
    }
  }
  characters_before_.push_back(num_characters);  // of a position behind the text
}

int64_t SourcePlaces::num_characters_before(size_t byte) const {
  const size_t stride = byte / kStride;
  const size_t from = stride * kStride;
  return characters_before_[stride] +
         count_characters(std::string_view(source_.text).substr(from, byte - from));
}

SourcePosition SourcePlaces::position_of(int64_t byte) const {
  const auto size = static_cast<int64_t>(source_.text.size());
  const auto at = static_cast<size_t>(std::clamp<int64_t>(byte, 0, size));
  const auto next_line = std::upper_bound(line_starts_.begin(), line_starts_.end(), at);
  return {next_line - line_starts_.begin(),
          1 + num_characters_before(at) - num_characters_before(*(next_line - 1))};
}

}  // namespace tessera
