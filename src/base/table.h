#pragma once

#include <string>
#include <vector>

namespace tessera {

/// One line of a table, a text for each of its columns.
using Row = std::vector<std::string>;

/// The alignment of the columns between the first and the last: words on the left, amounts on the
/// right.
enum class Columns { words, amounts };

/// Formats rows as lines, in columns of equal width. The first and the last column are aligned on
/// the left. REQUIRES rows of equal length, at least one, of at least two columns.
std::string table_text(const std::vector<Row>& rows, Columns between);

}  // namespace tessera
