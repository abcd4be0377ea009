#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/source.h"

namespace tessera {

/// The source of a node, a task or a tile: the statement's name and its place in the user's text. A
/// node that no one wrote has an empty file.
struct Origin {
  std::string statement;
  std::string file;
  int64_t line = 0;
  int64_t column = 0;
  int64_t num_characters = 1;  // on that line, for carets; a printed stage does not keep it

  /// Compares everything but the number of characters.
  friend bool operator==(const Origin& a, const Origin& b) {
    return a.statement == b.statement && a.file == b.file && a.line == b.line &&
           a.column == b.column;
  }
};

/// Returns the place in the text; nothing for a node that no one wrote.
std::optional<SourcePlace> place_of(const Origin& origin);

/// Formats an origin: "QH (attention.ein:5:1)"; only the statement if there is no file.
std::string to_string(const Origin& origin);

/// Reads the text of to_string.
Origin parse_origin(const std::string& text);

}  // namespace tessera
