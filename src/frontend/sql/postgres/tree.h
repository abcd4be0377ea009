#pragma once

#include <memory>
#include <vector>

#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include "frontend/sql/text/rewriting.h"
#include "frontend/sql/text/tokens.h"

namespace tessera::frontend::sql {

struct FreeTree {
  void operator()(PgQuery__ParseResult* tree) const {
    pg_query__parse_result__free_unpacked(tree, nullptr);
  }
};
/// A parse tree of PostgreSQL's.
using Tree = std::unique_ptr<PgQuery__ParseResult, FreeTree>;

/// The input of PostgreSQL for a part of the user's text: the text before it, the edits in it, and
/// the text after it.
struct Part {
  TokenRange range;
  std::vector<Edit> edits = {};  // in the order of their places
  const char* before = "";
  const char* behind = "";
};

/// A text that PostgreSQL has parsed, and the map of its places to those of the user's.
struct ParsedPart {
  Rewriting rewriting;
  Tree tree;
};

/// Parses a part. Throws a Finding with PostgreSQL's message.
ParsedPart parse_part(const Tokens& tokens, Part part);

}  // namespace tessera::frontend::sql
