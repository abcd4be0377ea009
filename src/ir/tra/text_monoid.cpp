#include "ir/tra/text_monoid.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "expr/text/parts.h"

namespace tessera::tra {

using expr::Scanner;

std::vector<ir::Field> made_monoids(const std::vector<const expr::Monoid*>& monoids,
                                    const expr::AggregateRegistry& aggregates) {
  std::vector<ir::Field> settings;
  for (const expr::Monoid* monoid : monoids) {
    ir::Field setting{"aggregate", expr::to_text(*monoid), {}};
    if (!expr::is_registered(*monoid, aggregates) &&
        std::find(settings.begin(), settings.end(), setting) == settings.end()) {
      settings.push_back(std::move(setting));
    }
  }
  return settings;
}

expr::Monoid parse_made_monoid(const SourceText& source, const ir::Field& setting,
                               const expr::FunctionRegistry& functions) {
  Scanner scanner(source, setting.span);
  expr::Monoid monoid = expr::read_monoid(scanner, functions);
  scanner.expect_end();
  return monoid;
}

std::vector<const expr::Monoid*> monoids_of(const expr::TileProgram& program) {
  std::vector<const expr::Monoid*> monoids;
  for (const expr::TileStatement& statement : program.statements) {
    if (const expr::Monoid* monoid = expr::monoid_of(statement)) {
      monoids.push_back(monoid);
    }
  }
  return monoids;
}

expr::Monoid read_monoid_reference(Scanner& scanner, const expr::MonoidScope& monoids) {
  const int64_t begin = scanner.position();
  const std::string name = scanner.name();
  scanner.expect(":");
  const DType state = scanner.dtype();
  try {
    return monoids.find(name, state);
  } catch (const Error& error) {
    scanner.fail(scanner.since(begin), error.message());
  }
}

}  // namespace tessera::tra
