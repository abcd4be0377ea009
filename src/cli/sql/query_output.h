#pragma once

#include <cstdint>

#include "sql/result.h"

namespace tessera::cli {

/// How the rows of a query are written: as psql aligns them, a line for each column, as CSV, or as
/// one JSON array of objects.
enum class OutputFormat : uint8_t { aligned, expanded, csv, json };

/// Writes what a statement gave to standard output; what it did in a word, to standard error,
/// unless quiet.
void write_result(sql::StatementResult result, OutputFormat format, bool quiet);

}  // namespace tessera::cli
