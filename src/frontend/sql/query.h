#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/source.h"

/// Queries and expressions as written, before names are resolved. Spans are in the user's text.
namespace tessera::frontend::sql {

struct Expression;
struct Select;
/// A tree node. Trees never change once they are made, so parts of them may be shared.
using ExpressionPtr = std::shared_ptr<const Expression>;
using SelectPtr = std::shared_ptr<const Select>;

/// A name at its place, in lower case unless it was quoted.
struct Name {
  std::string text;
  SourceSpan span;
};

struct NullLiteral {};
struct BooleanLiteral {
  bool value;
};
/// A number as written, without a sign; an integer if it fits 64 bits.
struct NumberLiteral {
  std::string text;
  bool is_integer;
};
struct StringLiteral {
  std::string text;  // its value, quotes undone
};

/// `t.c` or `c`.
struct ColumnReference {
  std::optional<Name> table;
  Name column;
};

/// `*` or `t.*`, among results or as the argument of count.
struct Star {
  std::optional<Name> table;
};

/// An operator with one operand (`-`, `+`, `~`) or two: `+ - * / % || = <> < <= > >= & | << >>`.
struct Operation {
  std::string symbol;
  std::vector<ExpressionPtr> operands;
};

/// `a AND b AND …`, `a OR b OR …`, `NOT a`.
struct Logical {
  enum class Kind : uint8_t { all, any, negation } kind;
  std::vector<ExpressionPtr> operands;
};

/// `a IS NULL`, `a IS TRUE`, `a IS DISTINCT FROM b` and their opposites.
struct Test {
  // NOLINTNEXTLINE(readability-identifier-naming): two are keywords
  enum class Kind : uint8_t { null, true_, false_, unknown, distinct } kind;
  bool is_negated;
  ExpressionPtr operand;
  ExpressionPtr other;  // of `distinct`; else null
  /// True if `distinct` compares stored values of SQLite, without converting `other` to the type of
  /// a column. An index of a column that has no type can then be used.
  bool is_of_stored = false;
};

/// `a BETWEEN low AND high`.
struct Between {
  bool is_negated;
  ExpressionPtr operand, low, high;
};

/// `a LIKE b`, with another escape character if one is given.
struct Like {
  bool is_negated;
  ExpressionPtr operand, pattern, escape;  // escape may be null
};

/// `a IN (b, c)`, or `a IN (SELECT …)` if there is a query.
struct In {
  bool is_negated;
  ExpressionPtr operand;
  std::vector<ExpressionPtr> elements;
  SelectPtr query;
};

struct Exists {
  SelectPtr query;
};
/// `(SELECT …)` as a value.
struct ScalarQuery {
  SelectPtr query;
};

/// `CASE operand WHEN … THEN … ELSE … END`.
struct Case {
  struct Branch {
    ExpressionPtr condition, result;
  };
  ExpressionPtr operand;  // may be null
  std::vector<Branch> branches;
  ExpressionPtr otherwise;  // may be null
};

/// `matrix(f32)[10][]`, `integer`, `double precision` (its name is `float8`, as in PostgreSQL's
/// parser).
struct TypeName {
  Name name;
  std::vector<std::string> modifiers;           // `f32`
  std::vector<std::optional<int64_t>> extents;  // none if it is left open
};

/// `CAST(a AS type)`, `a::type`, `DATE '2026-11-25'`.
struct Cast {
  ExpressionPtr operand;
  TypeName type;
};

struct OrderKey {
  ExpressionPtr expression;
  bool is_descending = false;
  std::optional<bool> nulls_first;
};

/// One end of a window's frame.
struct FrameBound {
  enum class Kind : uint8_t {
    unbounded_preceding,
    preceding,
    current_row,
    following,
    unbounded_following
  } kind;
  ExpressionPtr offset;  // of `preceding` and `following`; else null
};

/// `ROWS BETWEEN start AND end EXCLUDE …`; omitted parts have SQL's defaults.
struct WindowFrame {
  enum class Unit : uint8_t { rows, range, groups } unit;
  FrameBound start, end;
  enum class Exclusion : uint8_t { none, current_row, group, ties } exclusion = Exclusion::none;
};

/// The window of `f(…) OVER (…)`.
struct Window {
  std::optional<Name> name;  // of another window that it extends, or is
  std::vector<ExpressionPtr> partition;
  std::vector<OrderKey> order;
  std::optional<WindowFrame> frame;  // none if the window has none
};

/// A function or an aggregate; `f(*)` has a Star as its argument. GREATEST, LEAST, COALESCE and
/// NULLIF are calls too, by these names in lower case; so are CURRENT_DATE and its like, without
/// arguments.
struct Call {
  Name function;
  std::vector<ExpressionPtr> arguments = {};
  bool is_distinct = false;
  std::vector<OrderKey> order = {};
  ExpressionPtr filter = nullptr;                // may be null
  std::shared_ptr<const Window> over = nullptr;  // null if there is none
};

/// `ARRAY[a, b]`, also nested: `ARRAY[[1, 2], [3, 4]]`.
struct ArrayLiteral {
  std::vector<ExpressionPtr> elements;
};

/// `a[2]`, `a[1:3][2]`: elements are counted from 1, as in PostgreSQL.
struct Element {
  struct Subscript {
    bool is_slice;
    ExpressionPtr low, high;  // of an index only `low`; of a slice either may be null
  };
  ExpressionPtr operand;
  std::vector<Subscript> subscripts;
};

/// `(a, b)` or `ROW(a, b)`.
struct Row {
  std::vector<ExpressionPtr> elements;
};

struct Expression {
  std::variant<NullLiteral, BooleanLiteral, NumberLiteral, StringLiteral, ColumnReference, Star,
               Operation, Logical, Test, Between, Like, In, Exists, ScalarQuery, Case, Cast, Call,
               ArrayLiteral, Element, Row>
      of;
  SourceSpan span;
};

/// One index of a version in a reference: `[i - 1]`, or `[2...i - 1]`, whose end may be left open.
/// A range may bind a name for the following indices: `UNION W[i:0...50][0...i]`.
struct VersionIndex {
  std::optional<Name> name;
  ExpressionPtr low;
  ExpressionPtr high;  // null for one version, or if the range has no end
  bool is_range = false;
  SourceSpan span;
};

struct FromItem;
using FromItemPtr = std::shared_ptr<const FromItem>;

/// `t`, `t AS a`, `W[i - 1][j] AS a`; `UNION W[0...i]` is the multiset union of these versions.
struct TableReference {
  Name table;
  std::vector<VersionIndex> version;  // empty if the table has none
  bool is_union = false;
};
struct QueryReference {
  SelectPtr query;
  bool is_lateral = false;
};
/// `generate_series(1, 10)`, `unnest(v) WITH ORDINALITY`.
struct FunctionReference {
  ExpressionPtr call;
  bool is_numbered = false;  // with a last column that counts the rows from 1
};
struct JoinReference {
  enum class Kind : uint8_t { inner, left, right, full, cross } kind;
  bool is_natural = false;
  FromItemPtr left, right;
  std::vector<Name> using_columns;
  ExpressionPtr condition;  // may be null
};

struct FromItem {
  std::variant<TableReference, QueryReference, FunctionReference, JoinReference> of;
  std::optional<Name> alias;
  std::vector<Name> column_aliases;
  SourceSpan span;
};

struct Target {
  ExpressionPtr expression;
  std::optional<Name> alias;
};

/// `WITH name (columns) AS (…)`.
struct CommonTable {
  Name name;
  std::vector<Name> columns;
  SelectPtr query;
};

struct NamedWindow {
  Name name;
  Window window;
};

/// A bound on a result: the query around leaves out rows that have more, so they need not be
/// computed.
struct ResultBound {
  std::string result;
  int64_t most;
};

/// One SELECT with its surrounding clauses, VALUES, or two queries with a set operation between.
struct Select {
  // NOLINTNEXTLINE(readability-identifier-naming): one is a keyword
  enum class SetOperation : uint8_t { none, union_, intersect, except };

  std::vector<CommonTable> with;
  bool is_recursive = false;

  // One SELECT:
  bool is_distinct = false;
  std::vector<Target> targets;
  std::vector<FromItemPtr> from;  // joined by commas
  ExpressionPtr where;            // may be null
  std::vector<ExpressionPtr> group_by;
  ExpressionPtr having;  // may be null
  std::vector<NamedWindow> windows;
  // or VALUES:
  std::vector<std::vector<ExpressionPtr>> values;
  // or two queries:
  SetOperation operation = SetOperation::none;
  bool is_all = false;
  SelectPtr left, right;

  std::vector<OrderKey> order;
  ExpressionPtr limit;   // may be null
  ExpressionPtr offset;  // may be null
  std::optional<ResultBound> bound;
  SourceSpan span;
};

}  // namespace tessera::frontend::sql
