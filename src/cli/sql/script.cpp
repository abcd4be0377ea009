#include "cli/sql/script.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/diagnostic.h"
#include "frontend/sql/parse.h"
#include "sql/statement_error.h"

namespace tessera::cli {

namespace {

constexpr std::string_view kBlanks = " \t\r";

/// Returns the command in a line, whose first byte is at `begin`.
BackslashLine command_in(std::string_view line, size_t begin) {
  const size_t first = line.find_first_not_of(kBlanks);
  const size_t end = line.find_last_not_of(kBlanks) + 1;
  return {std::string(line.substr(first, end - first)),
          {static_cast<int64_t>(begin + first), static_cast<int64_t>(begin + end)}};
}

/// Takes the commands out of a text; blanks replace them, so that everything else keeps its place.
std::vector<BackslashLine> take_commands(std::string& text) {
  std::vector<BackslashLine> commands;
  size_t looked_at = 0;  // no quote is open here
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (begins_with_backslash(line) &&
        !frontend::sql::is_quote_open(text.substr(looked_at, begin - looked_at))) {
      commands.push_back(command_in(line, begin));
      text.replace(begin, end - begin, end - begin, ' ');
      looked_at = end;
    }
    begin = end + 1;
  }
  return commands;
}

int64_t end_of(const ScriptItem& item) {
  return std::visit([](const auto& node) { return node.span.end; }, item);
}

}  // namespace

bool begins_with_backslash(std::string_view line) {
  const size_t first = line.find_first_not_of(kBlanks);
  return first != std::string_view::npos && line[first] == '\\';
}

std::vector<ScriptItem> read_script(const SourceText& source) {
  SourceText sql = source;
  std::vector<BackslashLine> commands = take_commands(sql.text);
  Result<std::vector<frontend::sql::Statement>> parsed = frontend::sql::parse(sql);
  if (!parsed.ok()) {
    throw sql::with_states(parsed.diagnostics());
  }
  std::vector<ScriptItem> items(std::make_move_iterator(parsed.value().begin()),
                                std::make_move_iterator(parsed.value().end()));
  items.insert(items.end(), std::make_move_iterator(commands.begin()),
               std::make_move_iterator(commands.end()));
  std::stable_sort(items.begin(), items.end(), [](const ScriptItem& one, const ScriptItem& other) {
    return end_of(one) < end_of(other);
  });
  return items;
}

}  // namespace tessera::cli
