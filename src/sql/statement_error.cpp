#include "sql/statement_error.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/suggest.h"
#include "frontend/sql/parse.h"
#include "sql/foreign_functions.h"

namespace tessera::sql {

namespace {

using database::SqlError;
using database::SqlState;
using frontend::sql::NameKind;

std::string headed(SqlState state, const std::string& message) {
  return fmt::format("{}: {}", database::code_of(state), message);
}

std::optional<NameKind> kind_of_name(SqlState state) {
  switch (state) {
    case SqlState::undefined_table:
      return NameKind::table;
    case SqlState::undefined_column:
    case SqlState::ambiguous_column:
      return NameKind::column;
    case SqlState::undefined_function:
      return NameKind::function;
    default:
      return std::nullopt;
  }
}

/// What was meant by a name that is not there.
std::string help_for(const SourceText& source, SourceSpan place, SqlState state,
                     const KnownNames& names) {
  const std::string_view word =
      std::string_view(source.text)
          .substr(static_cast<size_t>(place.begin), static_cast<size_t>(place.end - place.begin));
  switch (state) {
    case SqlState::undefined_table:
      return did_you_mean(word, names.tables);
    case SqlState::undefined_column: {
      const bool is_elsewhere =
          std::find(names.columns.begin(), names.columns.end(), word) != names.columns.end();
      return is_elsewhere
                 ? fmt::format(
                       "{} is a column of a table that is not seen here, or not by that name", word)
                 : did_you_mean(word, names.columns);
    }
    case SqlState::undefined_function: {  // where it is one, not with such arguments
      const std::string_view instead = instead_of(word);
      const bool is_known =
          std::find(names.functions.begin(), names.functions.end(), word) != names.functions.end();
      return !instead.empty() ? std::string(instead)
             : is_known       ? ""
                              : did_you_mean(word, names.functions);
    }
    default:
      return "";
  }
}

/// Where in its text an error is about something.
std::optional<SourceSpan> place_of(const SourceText& source, SourceSpan statement,
                                   const Error& error) {
  if (const auto* const unsayable = dynamic_cast<const frontend::sql::UnsayableError*>(&error)) {
    return unsayable->span().begin < unsayable->span().end ? std::optional(unsayable->span())
                                                           : std::nullopt;
  }
  const auto* const located = dynamic_cast<const SqlError*>(&error);
  if (located == nullptr) {
    return std::nullopt;
  }
  if (located->span().end > located->span().begin) {
    return located->span();
  }
  const std::optional<NameKind> kind = kind_of_name(located->state());
  return kind && !located->name().empty()
             ? frontend::sql::find_name(source.text, statement, located->name(), *kind)
             : std::nullopt;
}

}  // namespace

void fail_no_table(const frontend::sql::Name& name) {
  throw SqlError(SqlState::undefined_table,
                 Error(ErrorKind::user, fmt::format("there is no table {}", name.text)), name.span);
}

void fail_table_exists(const frontend::sql::Name& name) {
  throw SqlError(SqlState::duplicate_table,
                 Error(ErrorKind::user, fmt::format("there is a table {} already", name.text)),
                 name.span);
}

Error shown_in(const SourceText& source, SourceSpan statement, const Error& error,
               const KnownNames& names) {
  if (error.findings() != nullptr) {
    return error;
  }
  const auto* const of_sql = dynamic_cast<const SqlError*>(&error);
  const SqlState state = of_sql != nullptr ? of_sql->state() : database::state_of(error.kind());
  const std::optional<SourceSpan> place = place_of(source, statement, error);
  if (place && error.remedies().empty()) {
    Diagnostics findings(source);
    findings.add({error.kind(),
                  *place,
                  headed(state, error.message()),
                  help_for(source, *place, state, names),
                  {}});
    return Error(findings);
  }
  Error shown(error.kind(), headed(state, error.message()));
  for (const ErrorContext& context : error.context()) {
    shown.add_context(context.text, context.place);
  }
  for (const Remedy& remedy : error.remedies()) {
    shown = Error(std::move(shown).suggest(remedy));
  }
  if (place) {
    shown.add_context("in this expression",
                      SourcePlace{source.name, position_of(source, place->begin),
                                  num_characters(source, *place)});
  } else {
    shown.add_context("in this statement",
                      SourcePlace{source.name, position_of(source, statement.begin), 1});
  }
  shown.show_places_in(source);
  return shown;
}

void show_at_place(const Error& error, const program::StatementPlace& place) {
  const SqlError located(database::state_of(error.kind()), error, place.span);
  if (place.source == nullptr) {
    throw SqlError(located);
  }
  const SourceSpan whole{0, static_cast<int64_t>(place.source->text.size())};
  throw shown_in(*place.source, whole, located, {});
}

Error with_states(const Diagnostics& findings) {
  Diagnostics headed_findings(findings.source());
  for (Diagnostic finding : findings.found()) {
    const bool is_syntax = finding.kind == ErrorKind::user;
    finding.message = headed(is_syntax ? SqlState::syntax_error : database::state_of(finding.kind),
                             finding.message);
    headed_findings.add(std::move(finding));
  }
  return Error(headed_findings);
}

}  // namespace tessera::sql
