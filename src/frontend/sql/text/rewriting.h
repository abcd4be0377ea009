#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace tessera::frontend::sql {

/// The alias of a query in FROM without one: PostgreSQL requires it, this SQL does not.
inline constexpr std::string_view kNoAlias = "*without alias*";

/// A replacement of a part of the user's text, which may be empty.
struct Edit {
  SourceSpan replaced;
  std::string text;
};

/// The input of PostgreSQL: the user's text with edits, and the origin of each byte.
class Rewriting {
 public:
  explicit Rewriting(std::string_view source) : source_(source) {}

  /// Appends part of the user's text, with the edits inside it (in the order of their places).
  void keep(SourceSpan span, const std::vector<Edit>& edits);
  /// Appends text at a place of the user's text.
  void put(std::string_view text, int64_t place);

  const std::string& text() const { return text_; }
  /// Returns the origin of a byte; for inserted text its place.
  int64_t place_of(int64_t byte) const;
  /// True if the user did not write this byte.
  bool is_put_in(int64_t byte) const;

 private:
  struct Piece {
    int64_t begin;  // in our text
    int64_t place;  // in the user's
    bool is_kept;
  };
  const Piece& piece_of(int64_t byte) const;
  void append(std::string_view text, int64_t place, bool is_kept);

  std::string_view source_;
  std::string text_;
  std::vector<Piece> pieces_;
};

}  // namespace tessera::frontend::sql
