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
/// What PostgreSQL's parser made of a text.
using Tree = std::unique_ptr<PgQuery__ParseResult, FreeTree>;

/// What PostgreSQL is given for part of the user's text: what stands before it, what is edited in
/// it, and what stands behind it.
struct Part {
  TokenRange range;
  std::vector<Edit> edits = {};  // in the order of their places
  const char* before = "";
  const char* behind = "";
};

/// A text that PostgreSQL has read, and how its places are those of the user's.
struct ParsedPart {
  Rewriting rewriting;
  Tree tree;
};

/// Reads the part. Throws a Finding with PostgreSQL's message.
ParsedPart parse_part(const Tokens& tokens, Part part);

}  // namespace tessera::frontend::sql
