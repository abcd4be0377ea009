#pragma once

#include "frontend/einsum/program/scope.h"

namespace tessera::frontend {

/// The user's aggregate over elements of one dtype. Its state is the element, in the dtype that its
/// combine keeps (an integer that is divided becomes f64).
///
/// Throws a user Error where combine has no meaning for the dtype or the identity does not fit.
expr::BoundAggregate bind_user_aggregate(const std::string& name, const UserAggregate& aggregate,
                                         DType element, const Vocabulary& vocabulary);

/// Checks on sample numbers that combine(identity, x) = x, that combine(x, y) = combine(y, x) and
/// that combine is associative; throws a user Error with the numbers for which it is not so.
void check_aggregate_laws(const std::string& name, const UserAggregate& aggregate,
                          const Vocabulary& vocabulary);

}  // namespace tessera::frontend
