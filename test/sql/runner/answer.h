#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "sql/result.h"

namespace tessera::sql_cases {

/// The rows of a query as text: NULL as NULL, texts in quotes, tensors as PostgreSQL's arrays.
struct AnswerTable {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
};

/// Reads all rows.
AnswerTable table_of(sql::ResultRows rows);

/// Returns the names of the columns on a line, and each row on one: "1 | {1,2}".
std::string block_of(const AnswerTable& table);

/// Returns all rows on one line, without names: "1 | {1,2}; 2 | NULL".
std::string line_of(const AnswerTable& table);

/// Results of a text of statements, up to the first one that failed.
struct Answer {
  std::vector<AnswerTable> tables;
  std::vector<std::string> tags;
  std::string text;
  std::optional<Error> error;
};

/// Returns the error as the command line prints it.
std::string block_of(const Error& error);

/// Returns the error on one line: "error at `9`: 42000: there is no element 9", the help behind it.
std::string line_of(const Error& error);

/// Replaces every place of one text by another.
std::string replaced(std::string text, const std::string& old, const std::string& by);

}  // namespace tessera::sql_cases
