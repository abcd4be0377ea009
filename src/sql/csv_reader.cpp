#include "sql/csv_reader.h"

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/byte_order_mark.h"
#include "base/error.h"

namespace tessera::sql {

namespace {

constexpr size_t kBytesOfBlock = size_t{1} << 18;

}  // namespace

CsvReader::CsvReader(std::string name, const std::string& text, char delimiter)
    : name_(std::move(name)),
      text_(std::make_unique<std::istringstream>(text)),
      delimiter_(delimiter) {}

CsvReader::CsvReader(const std::string& file, char delimiter)
    : name_(file),
      text_(std::make_unique<std::ifstream>(file, std::ios::binary)),
      delimiter_(delimiter) {
  TESSERA_USER_CHECK(text_->good(), "{}: {}", file, std::generic_category().message(errno));
  if (!is_at_end() && block_.starts_with(kByteOrderMark)) {
    place_ = kByteOrderMark.size();
  }
}

bool CsvReader::is_at_end() {
  if (place_ < block_.size()) {
    return false;
  }
  block_.resize(kBytesOfBlock);
  text_->read(block_.data(), static_cast<std::streamsize>(block_.size()));
  block_.resize(static_cast<size_t>(text_->gcount()));
  place_ = 0;
  return block_.empty();
}

std::optional<CsvReader::Record> CsvReader::next() {
  if (is_at_end()) {
    return std::nullopt;
  }
  record_line_ = line_;
  Record record;
  while (true) {
    record.push_back(field());
    if (is_at_end()) {
      return record;
    }
    const char end = block_[place_++];
    if (end == '\n') {
      ++line_;
      return record;
    }
  }
}

std::optional<std::string> CsvReader::field() {
  std::string text;
  const bool is_quoted = !is_at_end() && here() == '"';
  if (is_quoted) {
    const int64_t first_line = line_;
    ++place_;
    while (true) {
      TESSERA_USER_CHECK(!is_at_end(), "{}:{}: a quote is not closed", name_, first_line);
      const char character = block_[place_++];
      if (character == '"' && (is_at_end() || here() != '"')) {
        break;
      }
      place_ += character == '"' ? 1 : 0;
      line_ += character == '\n' ? 1 : 0;
      text += character;
    }
  }
  while (!is_at_end() && here() != delimiter_ && here() != '\n') {
    if (here() != '\r') {
      text += here();
    }
    ++place_;
  }
  return text.empty() && !is_quoted ? std::nullopt : std::optional(std::move(text));
}

}  // namespace tessera::sql
