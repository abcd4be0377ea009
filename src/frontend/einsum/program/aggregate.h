#pragma once

#include <vector>

#include "frontend/einsum/program/scope.h"

namespace tessera::frontend {

/// The user's aggregate over elements, one for each entry of its state, of these dtypes. The state
/// is the elements, in the dtypes that combine keeps (an integer that is divided becomes f64); f16
/// and bf16 are carried in f32 and rounded once, as those of a sum are.
///
/// Throws a user Error where combine has no meaning for the dtypes or the identity does not fit.
expr::BoundAggregate bind_user_aggregate(const std::string& name, const UserAggregate& aggregate,
                                         const std::vector<DType>& elements,
                                         const Vocabulary& vocabulary);

/// Checks on sample numbers that combine(identity, x) = x and that combine is associative; throws a
/// user Error with the numbers for which it is not so. Gives numbers for which combine(x, y) is not
/// combine(y, x), in words; nothing where there are none.
std::string check_aggregate_laws(const std::string& name, const UserAggregate& aggregate,
                                 const Vocabulary& vocabulary);

}  // namespace tessera::frontend
