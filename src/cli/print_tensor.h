#pragma once

#include <optional>
#include <string>

#include "store/edge_tensor.h"

namespace tessera::cli {

/// Returns how many positions at either end of a tensor's modes are shown; none if it is shown
/// whole, as up to 1000 elements are.
std::optional<int64_t> shown_edge(const Shape& shape);

/// Formats a tensor as numpy prints arrays: rows in brackets, columns aligned, "..." for the middle
/// of every long mode, `[]` for one without elements. Every number is the shortest text that reads
/// back as the same value. REQUIRES a tensor that keeps its shown_edge().
std::string tensor_text(const store::EdgeTensor& tensor);

}  // namespace tessera::cli
