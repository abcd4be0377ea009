#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "expr/scalar.h"
#include "frontend/einsum/einsum.h"

namespace tessera::frontend {

/// Reads an expression over named parameters: `abs(x - y)`.
///
/// Parameter n of the result has the n-th name and dtype. The notation is that of `.ein` right
/// sides (doc/language.md) without tensors, labels and aggregates. Findings have their places in
/// `source`.
Result<expr::Scalar> bind_expression(const SourceText& source,
                                     const std::vector<std::string>& parameter_names,
                                     const std::vector<DType>& parameter_dtypes,
                                     const Vocabulary& vocabulary);

}  // namespace tessera::frontend
