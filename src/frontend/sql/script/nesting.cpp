#include "frontend/sql/script/nesting.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "frontend/sql/text/finding.h"

namespace tessera::frontend::sql {

namespace {

constexpr int64_t kDeepest = 1000;

/// Tokens after which a new expression begins: AND and OR make one node of many operands.
constexpr std::array<std::string_view, 7> kSeparators = {",",    "and",  "or",  ";",
                                                         "when", "then", "else"};
/// Tokens that each make a node above everything before it, regardless of separators.
constexpr std::array<std::string_view, 4> kChains = {"union", "intersect", "except", "join"};

struct OpenBracket {
  int64_t chained = 0;    // set operations and joins
  int64_t operators = 0;  // since the last separator
  int64_t depth() const { return chained + operators + 1; }
};

bool is_any(const Tokens& tokens, size_t index, const auto& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return tokens.is(index, word); });
}

/// True if a token can make an expression one deeper: an operator or a keyword.
bool is_operator(const Token& token) {
  return token.kind == Token::Kind::sign || token.kind == Token::Kind::keyword ||
         token.kind == Token::Kind::reserved;
}

/// A bound on the depth of a statement's tree, counted as its tokens come.
class Nesting {
 public:
  int64_t depth() const { return below_ + levels_.back().depth(); }

  void add(const Tokens& tokens, size_t index) {
    if (tokens.is(index, "(") || tokens.is(index, "[") || tokens.is(index, "case")) {
      below_ += levels_.back().depth();
      levels_.emplace_back();
    } else if (tokens.is(index, ")") || tokens.is(index, "]") || tokens.is(index, "end")) {
      close();
    } else if (is_any(tokens, index, kSeparators)) {
      levels_.back().operators = 0;
    } else if (is_any(tokens, index, kChains)) {
      ++levels_.back().chained;
    } else if (is_operator(tokens[index])) {
      ++levels_.back().operators;
    }
  }

 private:
  void close() {
    if (levels_.size() > 1) {
      levels_.pop_back();
      below_ -= levels_.back().depth();
    }
  }

  std::vector<OpenBracket> levels_{{}};
  int64_t below_ = 0;  // depth of all levels but the last
};

}  // namespace

void check_nesting(const Tokens& tokens, TokenRange statement) {
  Nesting nesting;
  for (size_t index = statement.first; index < statement.last; ++index) {
    nesting.add(tokens, index);
    if (nesting.depth() > kDeepest) {
      fail(tokens[index].span, "the statement is nested more than 1000 deep",
           "a long list goes into a table, a long sum into an aggregate");
    }
  }
}

}  // namespace tessera::frontend::sql
