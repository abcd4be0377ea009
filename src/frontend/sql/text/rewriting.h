#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace tessera::frontend::sql {

/// The alias that is put behind a query in FROM without one, as PostgreSQL wants one there and we
/// do not.
inline constexpr std::string_view kNoAlias = "*without alias*";

/// Part of the user's text with other text in its place; the part may be empty.
struct Edit {
  SourceSpan replaced;
  std::string text;
};

/// What PostgreSQL is given to read: the user's text with edits, and where in it each byte comes
/// from.
class Rewriting {
 public:
  explicit Rewriting(std::string_view source) : source_(source) {}

  /// Appends part of the user's text, with the edits that lie in it (in the order of their places).
  void keep(SourceSpan span, const std::vector<Edit>& edits);
  /// Appends text that stands at a place of the user's.
  void put(std::string_view text, int64_t place);

  const std::string& text() const { return text_; }
  /// Where the byte comes from; of what was put in, the place that it stands at.
  int64_t place_of(int64_t byte) const;
  /// Whether the user did not write this byte.
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
