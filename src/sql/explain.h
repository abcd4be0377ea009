#pragma once

#include <string>

#include "sql/query.h"

namespace tessera::sql {

/// How a query runs, as text: what SQLite was given for its key part, the tensor part as a program
/// in the language of
/// `.ein`, and the plan of that, by stage. With `analyze` the tensor part is run, and what it took
/// stands beside.
std::string explain(const Relation& result, QueryCompiler& compiler, int64_t most_versions_held,
                    bool analyze);

}  // namespace tessera::sql
