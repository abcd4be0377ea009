#pragma once

#include <string>
#include <vector>

#include "database/catalog.h"
#include "io/format.h"
#include "sql/query.h"

namespace tessera::sql {

/// The arrays of a file as the rows of columns: the first mode of each is the rows, or with
/// `is_whole` each is one row's. An .npy file has one array; of an archive each column has that of
/// its name. Errors: `user` where arrays are of different lengths, or are no tensors of a column.
RelationPtr read_arrays(const std::string& file, const std::vector<database::Column>& columns,
                        bool is_whole, const io::FormatRegistry& formats, QueryCompiler& compiler);

/// The columns of a relation as the arrays of a file; other arrays of an archive stay. Errors:
/// `user` where a file has one array and there are several columns, or where one has a text or is
/// NULL somewhere; with `is_null_nan` NULL among numbers is written as NaN.
void write_arrays(const Relation& relation, const std::string& file, bool is_null_nan,
                  const io::FormatRegistry& formats, QueryCompiler& compiler);

}  // namespace tessera::sql
