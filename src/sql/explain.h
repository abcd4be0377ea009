#pragma once

#include <string>

#include "sql/query.h"
#include "sql/versions.h"

namespace tessera::sql {

/// How a query runs, as text: what SQLite was given for its key part and what was computed for
/// that, the frames of the tensor part, the first of them as a program in the language of `.ein`,
/// and the plan of that, by stage. With `analyze` the tensor part is run, and what it took stands
/// beside.
std::string explain(const Relation& result, QueryCompiler& compiler, const Versions::Held& held,
                    bool analyze);

}  // namespace tessera::sql
