#pragma once

#include <string>
#include <vector>

namespace tessera::cli {

/// One line of a table, a text for each of its columns.
using Row = std::vector<std::string>;

/// Columns aligned: the first and the last to the left, those between to the right. REQUIRES rows
/// of equal length, at least one.
std::string table_text(const std::vector<Row>& rows);

/// "1.50 s", "2.00 ms", "3.0 us".
std::string seconds_text(double seconds);

/// "1.2 M".
std::string count_text(double count);

}  // namespace tessera::cli
