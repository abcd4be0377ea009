#include <fmt/format.h>

#include "frontend/sql/postgres/reading.h"

namespace tessera::frontend::sql {

namespace {

/// The bits of a window's frame, as PostgreSQL's parser sets them (nodes/parsenodes.h).
constexpr int32_t kIsSaid = 0x1;
constexpr int32_t kRange = 0x2;
constexpr int32_t kRows = 0x4;
constexpr int32_t kGroups = 0x8;
constexpr int32_t kStartUnboundedPreceding = 0x20;
constexpr int32_t kEndUnboundedPreceding = 0x40;
constexpr int32_t kStartUnboundedFollowing = 0x80;
constexpr int32_t kEndUnboundedFollowing = 0x100;
constexpr int32_t kStartCurrentRow = 0x200;
constexpr int32_t kEndCurrentRow = 0x400;
constexpr int32_t kStartPreceding = 0x800;
constexpr int32_t kEndPreceding = 0x1000;
constexpr int32_t kExcludeCurrentRow = 0x8000;
constexpr int32_t kExcludeGroup = 0x10000;
constexpr int32_t kExcludeTies = 0x20000;

FrameBound bound(const Reading& reading, const PgQuery__Node* offset, int32_t bits, bool is_end) {
  const auto has = [&](int32_t at_start, int32_t at_end) {
    return (bits & (is_end ? at_end : at_start)) != 0;
  };
  using Kind = FrameBound::Kind;
  if (has(kStartUnboundedPreceding, kEndUnboundedPreceding)) {
    return {Kind::unbounded_preceding, nullptr};
  }
  if (has(kStartUnboundedFollowing, kEndUnboundedFollowing)) {
    return {Kind::unbounded_following, nullptr};
  }
  if (has(kStartCurrentRow, kEndCurrentRow)) {
    return {Kind::current_row, nullptr};
  }
  const Kind kind = has(kStartPreceding, kEndPreceding) ? Kind::preceding : Kind::following;
  return {kind, to_expression(reading, *offset)};
}

std::optional<WindowFrame> frame_of(const Reading& reading, const PgQuery__WindowDef& node) {
  const int32_t bits = node.frame_options;
  if ((bits & kIsSaid) == 0) {
    return std::nullopt;
  }
  using Unit = WindowFrame::Unit;
  using Exclusion = WindowFrame::Exclusion;
  WindowFrame frame{(bits & kRows) != 0     ? Unit::rows
                    : (bits & kGroups) != 0 ? Unit::groups
                                            : Unit::range,
                    bound(reading, node.start_offset, bits, false),
                    bound(reading, node.end_offset, bits, true)};
  frame.exclusion = (bits & kExcludeCurrentRow) != 0 ? Exclusion::current_row
                    : (bits & kExcludeGroup) != 0    ? Exclusion::group
                    : (bits & kExcludeTies) != 0     ? Exclusion::ties
                                                     : Exclusion::none;
  return frame;
}

/// Returns the function's name as written: its span may be of two words with a dot.
Name name_of_function(const Reading& reading, const PgQuery__FuncCall& node) {
  const SourceSpan place = reading.span(node.location);
  std::string name = dotted(node.funcname, node.n_funcname);
  constexpr std::string_view kSystem = "pg_catalog.";
  if (name.starts_with(kSystem)) {
    name = name.substr(kSystem.size());
  }
  if (name.find('.') != std::string::npos) {
    refuse(place, "a schema before a name");
  }
  return {name, place};
}

/// Returns the span of a call up to the end of its arguments, FILTER (…) and OVER (…).
SourceSpan span_of_call(const Reading& reading, const PgQuery__FuncCall& node,
                        const std::vector<ExpressionPtr>& arguments) {
  const Tokens& tokens = reading.tokens;
  const size_t word = reading.token(node.location);
  SourceSpan span = reading.place(word);
  for (const ExpressionPtr& argument : arguments) {
    span = hull(span, argument->span);  // `a AT TIME ZONE b` has one before its word
  }
  if (!tokens.is(word + 1, "(")) {
    return tokens.balanced(span);
  }
  span = reading.through_bracket(span, word + 1);
  if (tokens.is(reading.behind(span), "filter")) {
    span = reading.through_bracket(span, reading.behind(span) + 1);
  }
  if (tokens.is(reading.behind(span), "over")) {
    const size_t window = reading.behind(span) + 1;
    span = reading.through_bracket(hull(span, reading.place(window)), window);
  }
  return span;
}

/// Replaces SQLite's names of CASE and COALESCE by SQL's, so that later code knows one name of
/// each.
ExpressionPtr in_words_of_sql(Call call, SourceSpan span) {
  std::vector<ExpressionPtr>& arguments = call.arguments;
  if (call.function.text == "iif" && arguments.size() == 3) {
    return make_expression(span, Case{nullptr, {{arguments[0], arguments[1]}}, arguments[2]});
  }
  if (call.function.text == "ifnull" && arguments.size() == 2) {
    call.function.text = "coalesce";
  }
  return make_expression(span, std::move(call));
}

}  // namespace

std::vector<OrderKey> to_order(const Reading& reading, PgQuery__Node* const* nodes, size_t count) {
  std::vector<OrderKey> keys;
  for (size_t index = 0; index < count; ++index) {
    const PgQuery__SortBy& node = *nodes[index]->sort_by;
    OrderKey key{to_expression(reading, *node.node),
                 node.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC, std::nullopt};
    if (node.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_USING) {
      refuse(key.expression->span, "ORDER BY ... USING", "write ASC or DESC");
    }
    refuse_fields_but(reading, node.base, key.expression->span,
                      {"node", "sortby_dir", "sortby_nulls"});
    if (node.sortby_nulls != PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT) {
      key.nulls_first = node.sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST;
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

Window to_window(const Reading& reading, const PgQuery__WindowDef& node) {
  const size_t token = reading.token(node.location);
  Window window;
  if (*node.refname !=
      '\0') {  // `OVER (w ORDER BY …)`: its name is the first word in the parentheses
    window.name = Name{node.refname, reading.place(token + 1)};
  }
  window.partition = to_expressions(reading, node.partition_clause, node.n_partition_clause);
  window.order = to_order(reading, node.order_clause, node.n_order_clause);
  window.frame = frame_of(reading, node);
  return window;
}

ExpressionPtr function_call(const Reading& reading, const PgQuery__FuncCall& node) {
  refuse_fields_but(reading, node.base, reading.span(node.location),
                    {"funcname", "args", "agg_order", "agg_filter", "over", "agg_star",
                     "agg_distinct", "funcformat"});
  Call call{name_of_function(reading, node), to_expressions(reading, node.args, node.n_args)};
  const SourceSpan span = span_of_call(reading, node, call.arguments);
  if (node.agg_star) {
    const size_t star = reading.token(node.location) + 2;
    call.arguments.push_back(make_expression(reading.place(star), Star{}));
  }
  call.is_distinct = node.agg_distinct != 0;
  call.order = to_order(reading, node.agg_order, node.n_agg_order);
  call.filter = to_optional_expression(reading, node.agg_filter);
  if (node.over != nullptr) {
    Window window = to_window(reading, *node.over);
    if (*node.over->name != '\0') {  // `OVER w`
      window.name = Name{node.over->name, reading.span(node.over->location)};
    }
    call.over = std::make_shared<const Window>(std::move(window));
  }
  return in_words_of_sql(std::move(call), span);
}

}  // namespace tessera::frontend::sql
