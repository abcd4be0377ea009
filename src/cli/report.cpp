#include "cli/report.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/remedy_text.h"
#include "cli/standard_streams.h"

namespace tessera::cli {

namespace {

/// Moves an excerpt as far left as one of a finding.
std::string outdented(const std::string& excerpt) {
  std::string text;
  for (size_t begin = 0; begin < excerpt.size();) {
    const size_t end = std::min(excerpt.find('\n', begin), excerpt.size());
    text += (text.empty() ? "" : "\n") + excerpt.substr(begin + 2, end - begin - 2);
    begin = end + 1;
  }
  return text;
}

/// Formats an error of a run about a statement of the user's text like the findings about the text:
/// its place, the error, the line with carets.
std::string text_at(const ErrorContext& statement, const Error& error) {
  std::string text =
      fmt::format("{}:{}:{}: {}: {}", statement.place->source, statement.place->position.line,
                  statement.place->position.column, name_of(error.kind()), error.message());
  text += "\n" + outdented(statement.excerpt);
  for (const ErrorContext& context : error.context()) {
    if (&context != &statement) {
      text += "\n  " + context.text;
    }
  }
  for (const Remedy& remedy : error.remedies()) {
    text += "\n  help: " + remedy_text(remedy);
  }
  return text;
}

}  // namespace

void report(const Error& error) {
  const std::vector<ErrorContext>& around = error.context();
  if (error.findings() == nullptr && !around.empty() && !around.front().excerpt.empty()) {
    write_message(text_at(around.front(), error));
    return;
  }
  const std::string kind =
      error.findings() != nullptr ? "" : fmt::format("tessera: {}: ", name_of(error.kind()));
  write_message(kind + error.full_text(&remedy_text));
}

}  // namespace tessera::cli
