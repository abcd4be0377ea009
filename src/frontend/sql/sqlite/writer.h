#pragma once

#include <string>
#include <vector>

#include "frontend/sql/query.h"
#include "frontend/sql/sqlite_text.h"

// SQLite's SQL for each kind of syntax. Each function throws an `unsupported` Error for syntax that
// SQLite lacks.
namespace tessera::frontend::sql::sqlite {

/// The precedence of the outermost operator of an expression in SQLite: a higher one binds tighter.
enum class Precedence : uint8_t {
  any,
  all,
  negation,
  equality,
  comparison,
  bits,
  sum,
  product,
  concatenation,
  sign,
  value  // no operator is outermost
};

/// Writes a part of the statement. An error without a place gets this one, so that it has the place
/// of the innermost part.
template <class Write>
std::string at_place(SourceSpan span, const Write& write) {
  try {
    return write();
  } catch (const UnsayableError& error) {
    const bool has_place = error.span().begin < error.span().end;
    throw UnsayableError(error, has_place ? error.span() : span);
  } catch (const Error& error) {
    throw UnsayableError(error, span);
  }
}

std::string text(const Expression& expression);
/// Writes an expression, in parentheses unless it binds at least this tightly.
std::string text(const Expression& expression, Precedence least);
/// Writes expressions separated by commas.
std::string list(const std::vector<ExpressionPtr>& expressions);
std::string call(const Call& call);
std::string cast(const Cast& cast);
std::string order_by(const std::vector<OrderKey>& keys);
/// Writes a window in parentheses.
std::string window(const Window& window);

std::string select(const Select& select);
/// Writes the items of FROM, without the word.
std::string from(const std::vector<FromItemPtr>& items);
std::string names(const std::vector<Name>& names);
std::string text_literal(const std::string& text);

}  // namespace tessera::frontend::sql::sqlite
