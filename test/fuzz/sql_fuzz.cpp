#include <cstddef>
#include <cstdint>
#include <string>

#include "base/overload.h"
#include "frontend/sql/parse.h"
#include "frontend/sql/sqlite_text.h"

namespace {

using tessera::Error;
using tessera::ErrorKind;
namespace sql = tessera::frontend::sql;

/// SQLite's text of a query, or an error that says what SQLite cannot do.
void write(const sql::SelectPtr& query) {
  if (query == nullptr) {
    return;
  }
  try {
    TESSERA_CHECK(!sql::sqlite_text(*query).empty(), "a query without a text");
  } catch (const Error& error) {
    TESSERA_CHECK(error.kind() == ErrorKind::unsupported || error.kind() == ErrorKind::user,
                  "the writer failed: {}", error.message());
  }
}

void write_query_of(const sql::Statement& statement) {
  std::visit(
      tessera::Overload{[](const tessera::Among<sql::Query, sql::CreateTableAs, sql::DefineVersions,
                                                sql::CreateView, sql::Insert, sql::Copy> auto& of) {
                          write(of.query);
                        },
                        [](const sql::Execute& execute) { write_query_of(*execute.body); },
                        [](const sql::Explain& explain) { write_query_of(*explain.statement); },
                        [](const tessera::Among<sql::CreateTable, sql::CreateIndex, sql::Drop,
                                                sql::Rename, sql::Update, sql::Delete,
                                                sql::Transaction, sql::Materialize> auto&) {}},
      statement.of);
}

}  // namespace

/// Any text is statements, of whose queries SQLite's text can be written, or findings that can be
/// printed; never a crash.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  const auto length = static_cast<int64_t>(size);
  const std::optional<int64_t> end = sql::end_of_statement(text);
  TESSERA_CHECK(!end || (*end > 0 && *end <= length), "a statement ends at byte {}", *end);
  auto parsed = sql::parse({"fuzz.sql", text});
  if (!parsed.ok()) {
    TESSERA_CHECK(!parsed.diagnostics().render().empty(), "a failure without a finding");
    return 0;
  }
  for (const sql::Statement& statement : parsed.value()) {
    TESSERA_CHECK(statement.span.begin < statement.span.end && statement.span.end <= length,
                  "a statement is bytes {} to {}", statement.span.begin, statement.span.end);
    write_query_of(statement);
  }
  return 0;
}
