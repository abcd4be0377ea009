#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/source.h"

namespace tessera {

/// The user's words behind a node, a task or a tile: the statement's name and its place in the
/// source. A node that no one wrote has an empty file.
struct Origin {
  std::string statement;
  std::string file;
  int64_t line = 0;
  int64_t column = 0;
  int64_t num_characters = 1;  // on that line, for carets; a printed stage does not keep it

  /// The same words: all but how many characters there are.
  friend bool operator==(const Origin& a, const Origin& b) {
    return a.statement == b.statement && a.file == b.file && a.line == b.line &&
           a.column == b.column;
  }
};

/// Where the words stand; nothing for a node that no one wrote.
std::optional<SourcePlace> place_of(const Origin& origin);

/// "QH (attention.ein:5:1)"; only the statement where there is no file.
std::string to_string(const Origin& origin);

/// Reads what to_string prints.
Origin parse_origin(const std::string& text);

}  // namespace tessera
