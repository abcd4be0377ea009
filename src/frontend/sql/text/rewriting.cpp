#include "frontend/sql/text/rewriting.h"

#include <algorithm>

#include "base/error.h"

namespace tessera::frontend::sql {

void Rewriting::append(std::string_view text, int64_t place, bool is_kept) {
  if (!text.empty()) {
    pieces_.push_back({static_cast<int64_t>(text_.size()), place, is_kept});
    text_ += text;
  }
}

void Rewriting::keep(SourceSpan span, const std::vector<Edit>& edits) {
  const auto user_text = [&](int64_t begin, int64_t end) {
    return source_.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  };
  int64_t done = span.begin;
  for (const Edit& edit : edits) {
    if (edit.replaced.begin < done || edit.replaced.end > span.end) {
      continue;
    }
    append(user_text(done, edit.replaced.begin), done, true);
    append(edit.text, edit.replaced.begin, false);
    done = edit.replaced.end;
  }
  append(user_text(done, span.end), done, true);
}

void Rewriting::put(std::string_view text, int64_t place) {
  append(text, place, false);
}

const Rewriting::Piece& Rewriting::piece_of(int64_t byte) const {
  TESSERA_CHECK(!pieces_.empty(), "a place in an empty text");
  const auto next =
      std::upper_bound(pieces_.begin(), pieces_.end(), byte,
                       [](int64_t place, const Piece& piece) { return place < piece.begin; });
  return next == pieces_.begin() ? *next : *(next - 1);
}

int64_t Rewriting::place_of(int64_t byte) const {
  const Piece& piece = piece_of(byte);
  return piece.is_kept ? piece.place + (byte - piece.begin) : piece.place;
}

bool Rewriting::is_put_in(int64_t byte) const {
  return !piece_of(byte).is_kept;
}

}  // namespace tessera::frontend::sql
