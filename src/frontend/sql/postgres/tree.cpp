#include "frontend/sql/postgres/tree.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "frontend/sql/postgres/message.h"

namespace tessera::frontend::sql {

namespace {

struct FreeResult {
  void operator()(PgQueryProtobufParseResult* result) const {
    pg_query_free_protobuf_parse_result(*result);
  }
};

Rewriting rewriting_of(const Tokens& tokens, const Part& part) {
  const SourceSpan span = tokens.span(part.range);
  Rewriting rewriting(tokens.source());
  rewriting.put(part.before, span.begin);
  rewriting.keep(span, part.edits);
  rewriting.put(part.behind, span.end);
  return rewriting;
}

bool is_about_alias(const PgQueryError& error) {
  const std::string_view message = error.message;
  return message == "subquery in FROM must have an alias" ||
         message == "VALUES in FROM must have an alias";
}

/// Gives the query that opens at the error an alias; returns false if no query does.
bool add_alias(const PgQueryError& error, const Rewriting& rewriting, const Tokens& tokens,
               std::vector<Edit>& edits) {
  const int64_t byte = byte_of(error, rewriting.text());
  const size_t opening = tokens.at(rewriting.place_of(byte));
  if (!tokens.is(opening, "(") || tokens.match(opening) == Tokens::kNone) {
    return false;
  }
  const int64_t end = tokens[tokens.match(opening)].span.end;
  const Edit edit{{end, end}, fmt::format(" AS \"{}\"", kNoAlias)};
  const auto place = std::find_if(edits.begin(), edits.end(),
                                  [&](const Edit& other) { return other.replaced.begin >= end; });
  if (place != edits.end() && place->replaced == edit.replaced) {
    return false;
  }
  edits.insert(place, edit);
  return true;
}

}  // namespace

ParsedPart parse_part(const Tokens& tokens, Part part) {
  while (true) {
    Rewriting rewriting = rewriting_of(tokens, part);
    PgQueryProtobufParseResult result = pg_query_parse_protobuf(rewriting.text().c_str());
    const std::unique_ptr<PgQueryProtobufParseResult, FreeResult> owner(&result);
    if (result.error == nullptr) {
      Tree tree(
          pg_query__parse_result__unpack(nullptr, result.parse_tree.len,
                                         reinterpret_cast<const uint8_t*>(result.parse_tree.data)));
      TESSERA_CHECK(tree != nullptr, "what the parser wrote cannot be read");
      return {std::move(rewriting), std::move(tree)};
    }
    if (!is_about_alias(*result.error) ||
        !add_alias(*result.error, rewriting, tokens, part.edits)) {
      throw Finding{to_diagnostic(*result.error, rewriting, tokens, part.range)};
    }
  }
}

}  // namespace tessera::frontend::sql
