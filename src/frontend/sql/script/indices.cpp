#include "frontend/sql/script/indices.h"

#include <utility>

#include "frontend/sql/postgres/read.h"
#include "frontend/sql/text/finding.h"

namespace tessera::frontend::sql {

namespace {

struct NamedRange {
  std::optional<Name> name;
  Range range;
  SourceSpan span;
};

NamedRange read_index(const Tokens& tokens, size_t opening, size_t closing) {
  TokenRange inner{opening + 1, closing};
  NamedRange index{std::nullopt, {}, {tokens[opening].span.begin, tokens[closing].span.end}};
  if (tokens.is_name(inner.first) && tokens.is(inner.first + 1, ":")) {
    index.name = tokens.name(inner.first);
    inner.first += 2;
  }
  if (inner.first >= inner.last) {
    fail(index.span, "an index of a version is missing", "`[3]`, `[i - 1]` or `[i:0...9]`");
  }
  index.range = read_range(tokens, inner);
  return index;
}

template <class Index>
std::vector<Index> to_indices(const std::vector<NamedRange>& read) {
  std::vector<Index> indices;
  for (const NamedRange& index : read) {
    indices.push_back(
        {index.name, index.range.low, index.range.high, index.range.is_range, index.span});
  }
  return indices;
}

void check_references(const std::vector<NamedRange>& indices) {
  for (const NamedRange& index : indices) {
    if (index.name && !index.range.is_range) {
      fail(index.span, "a single index of a reference binds no name",
           "write `[3]`, or a range behind UNION: `UNION W[i:0...9]`");
    }
  }
}

/// Refuses queries in indices, which are computed before any query runs.
void refuse_queries(const Tokens& tokens, TokenRange range) {
  for (size_t index = range.first; index < range.last; ++index) {
    if (tokens.is(index, "select") || tokens.is(index, "values") || tokens.is(index, "table")) {
      refuse(tokens[index].span, "a query in an index");
    }
  }
}

}  // namespace

Range read_range(const Tokens& tokens, TokenRange range) {
  refuse_queries(tokens, range);
  const size_t ellipsis = tokens.find(range.first, range.last, "...");
  if (ellipsis == range.last) {
    return {read_expression(tokens, range), nullptr, false};
  }
  if (ellipsis == range.first) {
    fail(tokens[ellipsis].span, "a range has no beginning", "write `0...`");
  }
  const bool is_open = ellipsis + 1 == range.last;
  return {read_expression(tokens, {range.first, ellipsis}),
          is_open ? nullptr : read_expression(tokens, {ellipsis + 1, range.last}), true};
}

WrittenVersion read_version(const Tokens& tokens, size_t opening, bool is_definition) {
  std::vector<NamedRange> indices;
  WrittenVersion version;
  version.span = tokens[opening].span;
  while (tokens.is(opening, "[")) {
    const size_t closing = tokens.match(opening);
    if (closing == Tokens::kNone) {
      fail(tokens[opening].span, "this bracket is not closed");
    }
    indices.push_back(read_index(tokens, opening, closing));
    version.span.end = tokens[closing].span.end;
    opening = closing + 1;
  }
  if (is_definition) {
    version.indices = to_indices<DefinedIndex>(indices);
  } else {
    check_references(indices);
    version.indices = to_indices<VersionIndex>(indices);
  }
  return version;
}

}  // namespace tessera::frontend::sql
