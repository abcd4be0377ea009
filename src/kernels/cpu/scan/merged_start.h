#pragma once

#include <optional>
#include <vector>

#include "expr/tile_program.h"

namespace tessera::kernels {

std::vector<expr::Index> plain_indices(const std::vector<expr::LabelNumber>& labels);

/// An expression over the states of a scan that are merged with others first, as one over what they
/// merge to; none where it is not of that form.
///
/// The states are operands num_inputs and following, read at the labels `out`. Those that come
/// before them from the left are the last inputs, read at the same labels without the scan's. The
/// result reads none of these.
std::optional<expr::Scalar> without_start(const expr::Scalar& body, const expr::Scan& scan,
                                          const std::vector<expr::LabelNumber>& out,
                                          int32_t num_inputs);

}  // namespace tessera::kernels
