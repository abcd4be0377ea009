#pragma once

#include <optional>

#include "sql/query.h"
#include "sql/relation.h"

namespace tessera::sql {

/// The tensors of a relation's column, one for each of its rows where it is not NULL, in their
/// order, maybe as a grid; as ones of another dtype where that is asked for.
TensorRows in_order(const Relation& relation, const RelationColumn& column,
                    std::optional<DType> dtype, QueryCompiler& compiler);

/// f64[n,…]: the same in one mode.
ArrayType flat_type_of(const TensorRows& rows);

}  // namespace tessera::sql
