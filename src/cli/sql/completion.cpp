#include "cli/sql/completion.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "cli/sql/backslash_commands.h"

namespace tessera::cli {

namespace {

constexpr std::array kKeywords{
    "ALTER",   "ANALYZE",  "AND",      "ARRAY",     "AS",        "ASC",         "BEGIN",
    "BETWEEN", "BOOLEAN",  "BY",       "CASE",      "CAST",      "CHECK",       "COLUMN",
    "COMMIT",  "COPY",     "CREATE",   "CROSS",     "DATE",      "DEFAULT",     "DELETE",
    "DESC",    "DISTINCT", "DOUBLE",   "DROP",      "ELSE",      "END",         "EXCEPT",
    "EXECUTE", "EXISTS",   "EXPLAIN",  "FALSE",     "FILTER",    "FOR",         "FORMAT",
    "FROM",    "FULL",     "GROUP",    "HAVING",    "HEADER",    "IF",          "IN",
    "INDEX",   "INNER",    "INSERT",   "INTEGER",   "INTERSECT", "INTO",        "IS",
    "JOIN",    "KEY",      "LEFT",     "LIKE",      "LIMIT",     "MATERIALIZE", "MATRIX",
    "NATURAL", "NOT",      "NULL",     "NULLS",     "OFFSET",    "ON",          "OR",
    "ORDER",   "OUTER",    "OVER",     "PARTITION", "PRECISION", "PRIMARY",     "RECURSIVE",
    "RENAME",  "RIGHT",    "ROLLBACK", "SELECT",    "SET",       "TABLE",       "TENSOR",
    "TEXT",    "THEN",     "TO",       "TRUE",      "UNION",     "UNIQUE",      "UPDATE",
    "USING",   "VALUES",   "VECTOR",   "VIEW",      "WHEN",      "WHERE",       "WINDOW",
    "WITH"};

constexpr std::array kBeforeTables{"from", "join", "into", "update", "table", "view", "copy"};

bool is_of_word(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return std::isalnum(byte) != 0 || letter == '_' || byte >= 0x80;
}

std::string lower(std::string_view text) {
  std::string word(text);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return word;
}

std::string_view last_word(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && is_of_word(text[begin - 1])) {
    --begin;
  }
  return text.substr(begin);
}

/// Returns the word before the one at the end of a text, in lower case.
std::string word_before(std::string_view text) {
  const size_t last = text.find_last_not_of(" \t\n");
  return last == std::string_view::npos ? "" : lower(last_word(text.substr(0, last + 1)));
}

/// Adds the words that begin with the given part, ignoring case.
template <class Words>
void add_matching(Completions& found, std::string_view begun, const Words& words) {
  for (const auto& word : words) {
    if (lower(word).starts_with(lower(begun))) {
      found.words.emplace_back(word);
    }
  }
}

void add_keywords(Completions& found, std::string_view begun) {
  const bool is_lower = !begun.empty() && std::islower(static_cast<unsigned char>(begun[0])) != 0;
  for (const std::string_view keyword : kKeywords) {
    if (lower(keyword).starts_with(lower(begun))) {
      found.words.push_back(is_lower ? lower(keyword) : std::string(keyword));
    }
  }
}

Completions complete_path(std::string_view begun) {
  Completions found{begun.size(), {}, ""};
  const std::filesystem::path path(begun);
  std::error_code error;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(path.filename().string())) {
      found.words.push_back((path.parent_path() / name).string() +
                            (entry.is_directory(error) ? "/" : ""));
    }
  }
  std::sort(found.words.begin(), found.words.end());
  return found;
}

Completions complete_command(std::string_view line, const sql::KnownNames& names) {
  const size_t end = line.find_first_of(" \t");
  if (end == std::string_view::npos) {
    Completions found{line.size(), {}};
    for (const BackslashCommand& command : backslash_commands()) {
      if (command.name.starts_with(line)) {
        found.words.emplace_back(command.name);
      }
    }
    return found;
  }
  const std::string_view name = line.substr(0, end);
  if (name == "\\i") {
    return complete_path(line.substr(line.find_last_of(" \t'") + 1));
  }
  const std::string_view begun = last_word(line);
  Completions found{begun.size(), {}};
  if (name == "\\df") {
    add_matching(found, begun, names.functions);
  } else if (name == "\\timing" || name == "\\x") {
    add_matching(found, begun, std::array{"off", "on"});
  } else {
    add_matching(found, begun, names.tables);
  }
  return found;
}

/// Returns the begin of the contents of an open quote at the end of a text, if there is one.
size_t open_quote(std::string_view text) {
  size_t begin = std::string_view::npos;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\'') {
      begin = begin == std::string_view::npos ? at + 1 : std::string_view::npos;
    }
  }
  return begin;
}

}  // namespace

Completions complete(std::string_view text, const sql::KnownNames& names) {
  const std::string_view line = text.substr(text.rfind('\n') + 1);
  if (line.starts_with('\\')) {
    return complete_command(line, names);
  }
  if (const size_t quoted = open_quote(text); quoted != std::string_view::npos) {
    return complete_path(text.substr(quoted));
  }
  const std::string_view begun = last_word(text);
  const std::string_view before = text.substr(0, text.size() - begun.size());
  Completions found{begun.size(), {}};
  const std::string previous = word_before(before);
  if (before.ends_with('.')) {
    add_matching(found, begun, names.columns);
  } else if (std::find(kBeforeTables.begin(), kBeforeTables.end(), previous) !=
             kBeforeTables.end()) {
    add_matching(found, begun, names.tables);
  } else {
    add_keywords(found, begun);
    add_matching(found, begun, names.tables);
    add_matching(found, begun, names.columns);
    add_matching(found, begun, names.functions);
    std::sort(found.words.begin(), found.words.end());
    found.words.erase(std::unique(found.words.begin(), found.words.end()), found.words.end());
  }
  return found;
}

}  // namespace tessera::cli
