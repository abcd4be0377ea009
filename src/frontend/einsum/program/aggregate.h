#pragma once

#include <vector>

#include "frontend/einsum/expression/builder.h"
#include "frontend/einsum/program/scope.h"

namespace tessera::frontend {

/// Binds the user's aggregate over elements of these dtypes, one for each entry of its state. The
/// state is the elements, in the dtypes that combine keeps (an integer that is divided becomes
/// f64); f16 and bf16 are carried in f32 and rounded once, as in sums.
///
/// Throws a user Error if combine has no meaning for the dtypes or the identity does not fit.
expr::BoundAggregate bind_user_aggregate(const std::string& name, const UserAggregate& aggregate,
                                         const std::vector<DType>& elements,
                                         const Vocabulary& vocabulary);

/// Merges two states.
std::vector<Value> combine_states(const UserAggregate& aggregate, ExpressionBuilder& builder,
                                  const std::vector<Value>& left, const std::vector<Value>& right);

/// True if states of numbers of this dtype can be merged.
bool combines(const UserAggregate& aggregate, DType kind, const Vocabulary& vocabulary);

}  // namespace tessera::frontend
