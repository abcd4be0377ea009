#pragma once

#include <string>
#include <vector>

namespace tessera {

/// One line of a table, a text for each of its columns.
using Row = std::vector<std::string>;

/// What the columns between the first and the last hold: words begin together, amounts end
/// together.
enum class Columns { words, amounts };

/// The rows as lines, in columns of equal width. The first and the last column begin together.
/// REQUIRES rows of equal length, at least one, of at least two columns.
std::string table_text(const std::vector<Row>& rows, Columns between);

}  // namespace tessera
