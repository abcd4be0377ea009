#include "frontend/sql/postgres/scan.h"

#include <memory>
#include <string_view>
#include <utility>

#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include "frontend/sql/postgres/message.h"

namespace tessera::frontend::sql {

namespace {

using TokenKind = Token::Kind;

TokenKind kind_of(const PgQuery__ScanToken& token) {
  switch (token.keyword_kind) {
    case PG_QUERY__KEYWORD_KIND__UNRESERVED_KEYWORD:
    case PG_QUERY__KEYWORD_KIND__COL_NAME_KEYWORD:
      return TokenKind::keyword;
    case PG_QUERY__KEYWORD_KIND__TYPE_FUNC_NAME_KEYWORD:
    case PG_QUERY__KEYWORD_KIND__RESERVED_KEYWORD:
      return TokenKind::reserved;
    default:
      break;
  }
  switch (token.token) {
    case PG_QUERY__TOKEN__IDENT:
    case PG_QUERY__TOKEN__UIDENT:
      return TokenKind::name;
    case PG_QUERY__TOKEN__ICONST:
    case PG_QUERY__TOKEN__FCONST:
      return TokenKind::number;
    case PG_QUERY__TOKEN__SCONST:
    case PG_QUERY__TOKEN__USCONST:
    case PG_QUERY__TOKEN__BCONST:
    case PG_QUERY__TOKEN__XCONST:
      return TokenKind::string;
    default:
      return TokenKind::sign;
  }
}

bool is_comment(const PgQuery__ScanToken& token) {
  return token.token == PG_QUERY__TOKEN__SQL_COMMENT || token.token == PG_QUERY__TOKEN__C_COMMENT;
}

/// Returns the end of a token. The scanner looks after U&'…' for an escape character and loses its
/// length: such a token reaches to the next one, without the blanks.
int64_t end_of(const std::string& text, const PgQuery__ScanResult& scanned, size_t index) {
  const PgQuery__ScanToken& token = *scanned.tokens[index];
  if (token.token != PG_QUERY__TOKEN__UIDENT && token.token != PG_QUERY__TOKEN__USCONST) {
    return token.end;
  }
  size_t end = index + 1 < scanned.n_tokens ? static_cast<size_t>(scanned.tokens[index + 1]->start)
                                            : text.size();
  while (std::string_view(" \t\n\r\f\v").find(text[end - 1]) != std::string_view::npos) {
    --end;
  }
  return static_cast<int64_t>(end);
}

/// Joins `...`, which PostgreSQL does not know: `0...50` comes as `0`, `..` and `.50`.
void join_ellipses(const std::string& text, std::vector<Token>& tokens) {
  std::vector<Token> joined;
  joined.reserve(tokens.size());
  for (size_t index = 0; index < tokens.size(); ++index) {
    joined.push_back(tokens[index]);
    SourceSpan& span = joined.back().span;
    if (tokens[index].kind != TokenKind::sign || span.end - span.begin != 2 ||
        text.compare(static_cast<size_t>(span.begin), 3, "...") != 0) {
      continue;
    }
    ++span.end;
    Token& next = tokens[index + 1];
    ++next.span.begin;
    index += next.span.begin == next.span.end ? 1 : 0;
  }
  tokens = std::move(joined);
}

struct FreeScan {
  void operator()(PgQueryScanResult* result) const { pg_query_free_scan_result(*result); }
};
struct FreeTokens {
  void operator()(PgQuery__ScanResult* tokens) const {
    pg_query__scan_result__free_unpacked(tokens, nullptr);
  }
};

}  // namespace

std::variant<std::vector<Token>, Diagnostic> scan(const std::string& text) {
  PgQueryScanResult result = pg_query_scan(text.c_str());
  const std::unique_ptr<PgQueryScanResult, FreeScan> owner(&result);
  if (result.error != nullptr) {
    const int64_t place = byte_of(*result.error, text);
    return Diagnostic{ErrorKind::user, {place, place + 1}, result.error->message, "", {}};
  }
  const std::unique_ptr<PgQuery__ScanResult, FreeTokens> scanned(pg_query__scan_result__unpack(
      nullptr, result.pbuf.len, reinterpret_cast<const uint8_t*>(result.pbuf.data)));
  TESSERA_CHECK(scanned != nullptr, "what the scanner wrote cannot be read");
  std::vector<Token> tokens;
  tokens.reserve(scanned->n_tokens);
  for (size_t index = 0; index < scanned->n_tokens; ++index) {
    const PgQuery__ScanToken& token = *scanned->tokens[index];
    if (!is_comment(token)) {
      tokens.push_back({kind_of(token), {token.start, end_of(text, *scanned, index)}});
    }
  }
  join_ellipses(text, tokens);
  return tokens;
}

}  // namespace tessera::frontend::sql
