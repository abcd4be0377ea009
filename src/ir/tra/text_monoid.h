#pragma once

#include <vector>

#include "expr/text/scanner.h"
#include "expr/text/text.h"
#include "expr/tile_program.h"
#include "ir/description.h"

namespace tessera::tra {

// Names of monoids in the texts of relations and plans: a registered one by its name, any other
// written once in the header. A monoid that is read back equals the written one.

/// Return the monoids among these that the registry does not have by their names, each once, as
/// settings `aggregate={...}`, and read them back.
std::vector<ir::Field> made_monoids(const std::vector<const expr::Monoid*>& monoids,
                                    const expr::AggregateRegistry& aggregates);
expr::Monoid parse_made_monoid(const SourceText& source, const ir::Field& setting,
                               const expr::FunctionRegistry& functions);

/// Returns the monoids that a program's statements merge with.
std::vector<const expr::Monoid*> monoids_of(const expr::TileProgram& program);

/// Writes "sum:f32"; and reads the monoid it stands for.
expr::Monoid read_monoid_reference(expr::Scanner& scanner, const expr::MonoidScope& monoids);

}  // namespace tessera::tra
