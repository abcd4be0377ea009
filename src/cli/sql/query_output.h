#pragma once

#include <cstdint>

#include "sql/result.h"

namespace tessera::cli {

/// The format of a query's rows: psql's aligned columns, a line for each column, CSV, or one JSON
/// array of objects.
enum class OutputFormat : uint8_t { aligned, expanded, csv, json };

/// Writes the result of a statement to standard output, and its effect in a word to standard error
/// unless quiet.
void write_result(sql::StatementResult result, OutputFormat format, bool quiet);

}  // namespace tessera::cli
