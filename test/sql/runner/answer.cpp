#include "sql/runner/answer.h"

#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/diagnostic.h"
#include "sql/value_text.h"

namespace tessera::sql_cases {

namespace {

std::string quoted(const std::string& text) {
  std::string lines = replaced(replaced(text, "'", "''"), "\n", "\\n");
  return "'" + replaced(std::move(lines), "\r", "\\r") + "'";
}

std::string cell_of(const sql::ResultRows& rows, size_t column) {
  if (rows.is_null(column)) {
    return "NULL";
  }
  if (rows.columns()[column].tensor) {
    return sql::array_text(rows.tensor(column).view());
  }
  const database::Value value = rows.value(column);
  const auto* const text = std::get_if<std::string>(&value);
  return text == nullptr ? sql::value_text(value) : quoted(*text);
}

/// Returns the words of a text with one blank between two of them.
std::string on_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) {
    line += (line.empty() ? "" : " ") + word;
  }
  return line;
}

std::string finding_line(const Diagnostic& finding, const SourceText& source) {
  const auto begin = static_cast<size_t>(finding.span.begin);
  const auto length = static_cast<size_t>(finding.span.end) - begin;
  return on_one_line(fmt::format("{} at `{}`: {}{}", name_of(finding.kind),
                                 source.text.substr(begin, length), finding.message,
                                 finding.help.empty() ? "" : " (" + finding.help + ")"));
}

}  // namespace

AnswerTable table_of(sql::ResultRows rows) {
  AnswerTable table;
  for (const sql::ResultColumn& column : rows.columns()) {
    table.names.push_back(column.key);
  }
  while (rows.next()) {
    std::vector<std::string>& row = table.rows.emplace_back();
    for (size_t column = 0; column < table.names.size(); ++column) {
      row.push_back(cell_of(rows, column));
    }
  }
  return table;
}

std::string block_of(const AnswerTable& table) {
  std::string text = fmt::format("{}\n", fmt::join(table.names, " | "));
  for (const std::vector<std::string>& row : table.rows) {
    text += fmt::format("{}\n", fmt::join(row, " | "));
  }
  return text;
}

std::string line_of(const AnswerTable& table) {
  std::string text;
  for (const std::vector<std::string>& row : table.rows) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", fmt::join(row, " | "));
  }
  return text.empty() ? "no rows" : text;
}

std::string block_of(const Error& error) {
  const bool has_kind = error.findings() != nullptr;  // each finding says its own
  return fmt::format("{}{}\n", has_kind ? "" : fmt::format("{}: ", name_of(error.kind())),
                     error.full_text());
}

std::string line_of(const Error& error) {
  const Diagnostics* const findings = error.findings();
  if (findings == nullptr || findings->empty()) {
    return on_one_line(fmt::format("{}: {}", name_of(error.kind()), error.message()));
  }
  return finding_line(findings->found().front(), findings->source());
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  for (size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + by.size())) {
    text.replace(at, old.size(), by);
  }
  return text;
}

}  // namespace tessera::sql_cases
