#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// The user's words behind a node, a task or a tile: the statement's name and its place in the
/// source. A node that no one wrote has an empty file.
struct Origin {
  std::string statement;
  std::string file;
  int64_t line = 0;
  int64_t column = 0;
  friend bool operator==(const Origin&, const Origin&) = default;
};

/// "QH (attention.ein:5:1)"; only the statement where there is no file.
std::string to_string(const Origin& origin);

/// Reads what to_string prints.
Origin parse_origin(const std::string& text);

}  // namespace tessera
