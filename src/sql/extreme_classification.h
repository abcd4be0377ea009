#pragma once

#include <string>
#include <vector>

#include "database/catalog.h"
#include "sql/query.h"
#include "sql/result.h"
#include "sql/written_text.h"

namespace tessera::sql {

/// Reads a file of the Extreme Classification Repository
/// (http://manikvarma.org/downloads/XC/XMLRepository.html):
///
///     3 5 4              how many points, features and labels there are
///     0,2 1:0.5 4:2      labels, then features with their values, counted from 0; a line each
///      3:1               a point without labels
///
/// What becomes a row follows from the names of the columns: `features` and `labels`, vectors, are
/// a row for each point; `feature` and `value` one for each feature of a point, `label` one for
/// each label of it. `row` counts the points. All are counted from 1, as subscripts are.
///
/// Errors: `user`, naming the line, where the file is not so, or there are other columns.
RelationPtr read_extreme_classification(const std::string& file,
                                        const std::vector<database::Column>& columns,
                                        QueryCompiler& compiler);

/// Writes such a file: so many rows with the vectors `features` and `labels`, of which what is not
/// 0 is written. Errors: `user` where there are no such columns.
void write_extreme_classification(ResultRows& rows, int64_t num_rows, WrittenText& text);

}  // namespace tessera::sql
