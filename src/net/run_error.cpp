#include "net/run_error.h"

#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::net {

namespace {

// No message has these.
constexpr char kRecord = '\x1e';  // begins the message, and each action
constexpr char kField = '\x1f';   // within that: the text, and its place

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  for (const char character : text) {
    if (character == at) {
      parts.emplace_back();
    } else {
      parts.back() += character;
    }
  }
  return parts;
}

bool read_number(const std::string& text, int64_t& number) {
  const char* const end = text.data() + text.size();
  return std::from_chars(text.data(), end, number) == std::from_chars_result{end, std::errc()};
}

/// Returns the place in a context's fields; nothing if it has none, or if a long reason was cut in
/// it.
std::optional<SourcePlace> place_of(const std::vector<std::string>& fields) {
  SourcePlace place;
  int64_t line = 0;
  int64_t column = 0;
  const bool is_whole = fields.size() == 5 && read_number(fields[2], line) &&
                        read_number(fields[3], column) &&
                        read_number(fields[4], place.num_characters);
  if (!is_whole) {
    return std::nullopt;
  }
  place.source = fields[1];
  place.position = {line, column};
  return place;
}

}  // namespace

std::string reason_of_run(const Error& error) {
  std::string reason = kRecord + error.message();
  for (const ErrorContext& context : error.context()) {
    reason += kRecord + context.text;
    if (context.place) {
      const SourcePlace& place = *context.place;
      for (const std::string& field :
           {place.source, std::to_string(place.position.line),
            std::to_string(place.position.column), std::to_string(place.num_characters)}) {
        reason += kField + field;
      }
    }
  }
  return reason;
}

std::optional<Error> error_of_run(const Failure& failure) {
  const std::vector<std::string> records = split(failure.reason, kRecord);
  if (records.size() < 2 || !records.front().empty()) {
    return std::nullopt;
  }
  Error error(failure.kind, records[1]);
  for (size_t number = 2; number < records.size(); ++number) {
    const std::vector<std::string> fields = split(records[number], kField);
    error.add_context(fields.front(), place_of(fields));
  }
  return error;
}

}  // namespace tessera::net
