#include "sql/csv_reader.h"

#include <algorithm>

#include "base/error.h"

namespace tessera::sql {

std::optional<CsvReader::Record> CsvReader::next() {
  if (place_ >= text_.size()) {
    return std::nullopt;
  }
  record_line_ = line_;
  Record record;
  while (true) {
    record.push_back(field());
    if (place_ >= text_.size()) {
      return record;
    }
    const char end = text_[place_++];
    if (end == '\n') {
      ++line_;
      return record;
    }
  }
}

std::optional<std::string> CsvReader::field() {
  std::string text;
  const bool is_quoted = place_ < text_.size() && text_[place_] == '"';
  if (is_quoted) {
    const int64_t first_line = line_;
    ++place_;
    while (true) {
      TESSERA_USER_CHECK(place_ < text_.size(), "{}:{}: a quote is not closed", name_, first_line);
      const char character = text_[place_++];
      if (character == '"' && (place_ >= text_.size() || text_[place_] != '"')) {
        break;
      }
      place_ += character == '"' ? 1 : 0;
      line_ += character == '\n' ? 1 : 0;
      text += character;
    }
  }
  const size_t begin = place_;
  while (place_ < text_.size() && text_[place_] != delimiter_ && text_[place_] != '\n') {
    ++place_;
  }
  const size_t end_of_quoted = text.size();
  text.append(text_, begin, place_ - begin);
  text.erase(
      std::remove(text.begin() + static_cast<std::ptrdiff_t>(end_of_quoted), text.end(), '\r'),
      text.end());
  return text.empty() && !is_quoted ? std::nullopt : std::optional(std::move(text));
}

}  // namespace tessera::sql
