#include "frontend/einsum/program/aggregate.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "frontend/einsum/program/typing.h"

namespace tessera::frontend {

namespace {

using Values = std::vector<Value>;
using Literals = std::vector<Literal>;

/// Returns the value of an expression over parameters.
Value value_of(const ResolvedExpression& expression, ExpressionBuilder& builder,
               const Values& parameters) {
  SourceSpan at;
  const auto parameter = [&](const ResolvedNode& node) -> Value {
    const ResolvedParameter* found = parameter_at(node);
    return found == nullptr ? no_leaf(node) : parameters[static_cast<size_t>(found->position)];
  };
  GuardValues guards;
  return Typing(expression.nodes, builder, guards, parameter, at).value_of(expression.root);
}

Values combine(const UserAggregate& aggregate, ExpressionBuilder& builder, Values left,
               const Values& right) {
  left.insert(left.end(), right.begin(), right.end());
  Values combined;
  for (const ResolvedExpression& entry : aggregate.combine) {
    combined.push_back(value_of(entry, builder, left));
  }
  return combined;
}

/// Returns parameters of these dtypes, from a position on.
Values parameters_of(ExpressionBuilder& builder, const std::vector<DType>& dtypes, size_t first) {
  Values values;
  for (const DType dtype : dtypes) {
    values.push_back(builder.parameter(static_cast<int32_t>(first + values.size()), dtype));
  }
  return values;
}

/// Returns the dtypes of combine over two states.
std::vector<DType> combined_dtypes(const UserAggregate& aggregate, const std::vector<DType>& state,
                                   const Vocabulary& vocabulary) {
  ExpressionBuilder builder(vocabulary);
  std::vector<DType> dtypes;
  for (const Value& value : combine(aggregate, builder, parameters_of(builder, state, 0),
                                    parameters_of(builder, state, state.size()))) {
    dtypes.push_back(builder.dtype_of(value));
  }
  return dtypes;
}

/// Returns the dtypes that combine keeps, starting from those of the elements.
std::vector<DType> kept_dtypes(const UserAggregate& aggregate, std::vector<DType> state,
                               const Vocabulary& vocabulary) {
  for (std::vector<DType> next = combined_dtypes(aggregate, state, vocabulary); next != state;
       next = combined_dtypes(aggregate, state, vocabulary)) {
    for (size_t entry = 0; entry < state.size(); ++entry) {
      next[entry] = promote(state[entry], next[entry]);
    }
    TESSERA_USER_CHECK(next != state, "combining two {} gives {}, which cannot be combined again",
                       name_of(state[0]),
                       name_of(combined_dtypes(aggregate, state, vocabulary)[0]));
    state = next;
  }
  return state;
}

/// Returns the dtypes that combine keeps, with narrow stored dtypes replaced by those they are
/// computed in.
std::vector<DType> computed_dtypes(const UserAggregate& aggregate, std::vector<DType> kept,
                                   const Vocabulary& vocabulary) {
  std::transform(kept.begin(), kept.end(), kept.begin(), compute_type);
  return kept_dtypes(aggregate, std::move(kept), vocabulary);
}

/// Returns the result of a state of these dtypes.
Value result_of(const UserAggregate& aggregate, ExpressionBuilder& builder,
                const std::vector<DType>& state) {
  const Values entries = parameters_of(builder, state, 0);
  return aggregate.result ? value_of(*aggregate.result, builder, entries) : entries[0];
}

}  // namespace

expr::BoundAggregate bind_user_aggregate(const std::string& name, const UserAggregate& aggregate,
                                         const std::vector<DType>& elements,
                                         const Vocabulary& vocabulary) {
  const std::vector<DType> kept = kept_dtypes(aggregate, elements, vocabulary);
  const std::vector<DType> state = computed_dtypes(aggregate, kept, vocabulary);
  expr::BoundAggregate bound;
  bound.monoid = {name, state, {}, aggregate.identity, aggregate.order_matters.empty()};
  for (size_t entry = 0; entry < state.size(); ++entry) {
    ExpressionBuilder identity(vocabulary);
    identity.cast(identity.number(aggregate.identity[entry]),
                  state[entry]);  // throws if it does not fit
    ExpressionBuilder lift(vocabulary);
    const Value element = lift.parameter(static_cast<int32_t>(entry), elements[entry]);
    bound.lift.push_back(lift.finish(lift.cast(element, state[entry])));
    ExpressionBuilder merge(vocabulary);
    const Values combined = combine(aggregate, merge, parameters_of(merge, state, 0),
                                    parameters_of(merge, state, state.size()));
    bound.monoid.combine.push_back(merge.finish(merge.cast(combined[entry], state[entry])));
  }
  ExpressionBuilder as_kept(vocabulary);
  const DType result = as_kept.dtype_of(result_of(aggregate, as_kept, kept));
  ExpressionBuilder finalise(vocabulary);
  bound.finalise = finalise.finish(finalise.cast(result_of(aggregate, finalise, state), result));
  return bound;
}

std::vector<Value> combine_states(const UserAggregate& aggregate, ExpressionBuilder& builder,
                                  const std::vector<Value>& left, const std::vector<Value>& right) {
  return combine(aggregate, builder, left, right);
}

bool combines(const UserAggregate& aggregate, DType kind, const Vocabulary& vocabulary) {
  try {
    combined_dtypes(aggregate, std::vector<DType>(aggregate.combine.size(), kind), vocabulary);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace tessera::frontend
