#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sql/query.h"
#include "sql/relation.h"
#include "store/memory_tensor.h"

namespace tessera::sql {

/// The bytes of tensors that a statement copies in memory. Planning a program takes longer than to
/// copy so few.
inline constexpr int64_t kMostCopiedBytes = int64_t{1} << 20;

/// True if the tensors of a relation's column are copied, one for each of its rows where it is not
/// NULL, as ones of another dtype if one is given: nothing computes them, and they have at most
/// `room` bytes.
bool are_copied(const Relation& relation, const RelationColumn& column, std::optional<DType> dtype,
                QueryCompiler& compiler, int64_t room);

/// Copies them and takes their bytes off `room`. Returns null if they are to be planned:
/// because they are not copied, or a number has no place in the other dtype. Errors: those of a
/// source.
std::shared_ptr<const store::MemoryTensor> copied_rows(const Relation& relation,
                                                       const RelationColumn& column,
                                                       std::optional<DType> dtype,
                                                       QueryCompiler& compiler, int64_t& room);

/// Numbers of f64 rounded to another dtype as a cast of a program does; those of that dtype as they
/// are. Returns null if they are of a third dtype, or if that is no dtype of real numbers or has no
/// place for one of them: the program says so.
std::shared_ptr<const store::MemoryTensor> rounded(
    std::shared_ptr<const store::MemoryTensor> numbers, DType dtype);

}  // namespace tessera::sql
