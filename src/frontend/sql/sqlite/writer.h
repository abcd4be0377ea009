#pragma once

#include <string>
#include <vector>

#include "frontend/sql/query.h"
#include "frontend/sql/sqlite_text.h"

// SQLite's SQL for each kind of syntax. Each function throws an `unsupported` Error for what SQLite
// cannot say.
namespace tessera::frontend::sql::sqlite {

/// How tightly the outermost operator of an expression binds, as SQLite has it: the higher the
/// tighter.
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

/// Writes a part of the statement. What cannot be said gets this place where it has none yet, so
/// that of the innermost part that was written.
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
/// In parentheses unless it binds at least so tightly.
std::string text(const Expression& expression, Precedence least);
/// Separated by commas.
std::string list(const std::vector<ExpressionPtr>& expressions);
std::string call(const Call& call);
std::string cast(const Cast& cast);
std::string order_by(const std::vector<OrderKey>& keys);
/// In parentheses.
std::string window(const Window& window);

std::string select(const Select& select);
/// The items of FROM, without the word.
std::string from(const std::vector<FromItemPtr>& items);
std::string names(const std::vector<Name>& names);
std::string text_literal(const std::string& text);

}  // namespace tessera::frontend::sql::sqlite
