#include "frontend/sql/script/take_versions.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "frontend/sql/script/indices.h"

namespace tessera::frontend::sql {

namespace {

template <size_t count>
bool is_one_of(const Tokens& tokens, size_t index,
               const std::array<std::string_view, count>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return tokens.is(index, word); });
}

/// Words that end the comma-separated items of FROM.
constexpr std::array<std::string_view, 14> kEndOfFrom = {
    "where", "group",     "having", "window", "order", "limit",     "offset",
    "fetch", "returning", "set",    "for",    "union", "intersect", "except"};
/// Words before a table outside of FROM, or between a word that opens it and its name.
constexpr std::array<std::string_view, 4> kBeforeTable = {"table", "into", "update", "materialize"};
constexpr std::array<std::string_view, 5> kBeforeName = {"lateral", "only", "if", "not", "exists"};
constexpr std::array<std::string_view, 4> kQueries = {"select", "values", "with", "table"};

/// The state inside each open parenthesis of a query.
struct Level {
  bool is_query = false;     // holds SELECT, or is a statement with FROM
  bool is_from = false;      // between FROM and its end
  bool wants_table = false;  // the next token may be a table's name
  bool deletes = false;      // so that tables follow USING
};

class Taker {
 public:
  Taker(const Tokens& tokens, TokenRange statement) : tokens_(tokens), statement_(statement) {}

  Changes take() {
    for (index_ = statement_.first; index_ < statement_.last; ++index_) {
      if (!take_brackets() && !take_word()) {
        take_name();
      }
    }
    std::stable_sort(
        changes_.edits.begin(), changes_.edits.end(),
        [](const Edit& a, const Edit& b) { return a.replaced.begin < b.replaced.begin; });
    return std::move(changes_);
  }

 private:
  bool is(std::string_view word) const { return tokens_.is(index_, word); }
  bool follows(std::string_view word) const {
    return index_ > statement_.first && tokens_.is(index_ - 1, word);
  }
  Level& level() { return levels_.back(); }

  /// Enters or leaves a bracket. Parentheses in place of a table hold tables and joins, or a query.
  bool take_brackets() {
    if (is("(") || is("[")) {
      const bool wants_table = level().wants_table && is("(");
      level().wants_table = false;
      levels_.push_back({false, wants_table, wants_table});
      return true;
    }
    if (is(")") || is("]")) {
      if (levels_.size() > 1) {
        levels_.pop_back();
      }
      return true;
    }
    return false;
  }

  /// True at FROM, and at the USING of a DELETE, which is not that of a join.
  bool begins_tables() {
    return (is("from") && !follows("distinct") && level().is_query) ||
           (is("using") && level().deletes && !tokens_.is(index_ + 1, "("));
  }

  /// Takes a word or sign that determines the next tokens; false for all others.
  bool take_word() {
    if (is("select") || is("delete")) {
      level() = {true, false, false, is("delete")};
    } else if (begins_tables()) {
      level().is_from = level().wants_table = true;
    } else if (is("join") || is(",")) {
      level().wants_table = level().is_from && (rows_end_ == Tokens::kNone || index_ > rows_end_);
    } else if (is("union") && level().wants_table) {
      union_ = index_;
    } else if (is_one_of(tokens_, index_, kEndOfFrom)) {
      level().is_from = level().wants_table = false;
    } else if (is("values") && level().wants_table && !follows("(") &&
               tokens_.is(index_ + 1, "(")) {
      take_values();
    } else if (is_one_of(tokens_, index_, kBeforeTable)) {
      level().is_query |= is("update");
      level().wants_table = true;
    } else {
      return level().wants_table && is_one_of(tokens_, index_, kBeforeName);
    }
    return true;
  }

  void take_name() {
    const bool is_table = level().wants_table && tokens_.is_name(index_);
    level().wants_table = false;
    if (is_table && tokens_.is(index_ + 1, "[")) {
      take_version();
    } else if (names_by_reserved_word()) {
      changes_.edits.push_back({tokens_[index_].span, '"' + tokens_.name(index_).text + '"'});
    }
  }

  /// True after `CREATE TEMPORARY TABLE IF NOT EXISTS`, before the name.
  bool is_definition() const {
    size_t index = index_ - 1;
    const auto skip = [&](std::string_view word) { index -= tokens_.is(index, word) ? 1 : 0; };
    for (const std::string_view word : {"exists", "not", "if"}) {
      skip(word);
    }
    if (!tokens_.is(index, "table")) {
      return false;
    }
    --index;
    for (const std::string_view word : {"temp", "temporary", "unlogged", "local", "global"}) {
      skip(word);
    }
    return tokens_.is(index, "create");
  }

  /// Replaces the version's brackets by a blank, or a placeholder alias, and UNION by a blank.
  void take_version() {
    const bool is_union = union_ != Tokens::kNone && union_ + 1 == index_;
    WrittenVersion version = read_version(tokens_, index_ + 1, is_definition());
    version.is_union = is_union;
    if (is_union) {
      changes_.edits.push_back({tokens_[union_].span, " "});
    }
    // A list of columns may follow an alias only.
    const bool has_columns = !is_definition() && tokens_.is(tokens_.at(version.span.end), "(");
    changes_.edits.push_back(
        {version.span, has_columns ? fmt::format(" AS \"{}\" ", kNoAlias) : " "});
    const SourceSpan span = version.span;
    changes_.versions.emplace(tokens_[index_].span.begin, std::move(version));
    index_ = tokens_.at(span.end) - 1;
  }

  /// Takes the rows of VALUES. They continue after a comma, unless a query follows.
  void take_values() {
    size_t closing = tokens_.match(index_ + 1);
    if (closing == Tokens::kNone) {
      return;
    }
    while (tokens_.is(closing + 1, ",") && tokens_.is(closing + 2, "(") &&
           tokens_.match(closing + 2) != Tokens::kNone &&
           !is_one_of(tokens_, closing + 3, kQueries)) {
      closing = tokens_.match(closing + 2);
    }
    const int64_t end = tokens_[closing].span.end;
    changes_.edits.push_back({{tokens_[index_].span.begin, tokens_[index_].span.begin}, "("});
    const bool has_alias = tokens_.is(closing + 1, "as") || tokens_.is_name(closing + 1);
    changes_.edits.push_back({{end, end}, has_alias ? ")" : fmt::format(") AS \"{}\"", kNoAlias)});
    level().wants_table = false;
    rows_end_ = closing;
  }

  bool names_by_reserved_word() const {
    if (tokens_[index_].kind != Token::Kind::reserved) {
      return false;
    }
    const bool is_alias = levels_.back().is_from && follows("as");
    const bool is_before_dot = tokens_.is(index_ + 1, ".") && !follows(".");
    return is_alias || is_before_dot;
  }

  const Tokens& tokens_;
  TokenRange statement_;
  size_t index_ = 0;
  size_t union_ = Tokens::kNone;  // the last one before a version
  size_t rows_end_ =
      Tokens::kNone;  // the end of the last VALUES in FROM: commas before it are between rows
  std::vector<Level> levels_{{}};
  Changes changes_;
};

}  // namespace

Changes take_versions(const Tokens& tokens, TokenRange statement) {
  return Taker(tokens, statement).take();
}

}  // namespace tessera::frontend::sql
