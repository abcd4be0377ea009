#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "frontend/sql/parse.h"
#include "frontend/sql/sqlite_text.h"

namespace {

using tessera::frontend::sql::Query;
using tessera::frontend::sql::Statement;

std::string answer(const std::string& script) {
  try {
    std::string texts;
    auto parsed = tessera::frontend::sql::parse({"script.sql", script});
    for (const Statement& statement : parsed.value()) {
      const auto* query = std::get_if<Query>(&statement.of);
      const std::string text =
          query == nullptr ? "" : tessera::frontend::sql::sqlite_text(*query->query);
      texts += (texts.empty() ? "" : ";\n") + text;
    }
    return texts;
  } catch (const tessera::Error& error) {
    const bool is_ours = error.kind() == tessera::ErrorKind::internal;
    return fmt::format("error: {}{}", is_ours ? "internal error: " : "", error.full_text());
  }
}

}  // namespace

/// Reads scripts that end with a zero byte each, and prints for each what SQLite is given for its
/// queries, or the error, and a zero byte.
int main() {
  std::string script;
  while (std::getline(std::cin, script, '\0')) {
    std::cout << answer(script) << '\0' << std::flush;
  }
  return 0;
}
