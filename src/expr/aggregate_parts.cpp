#include "expr/aggregate_parts.h"

#include <limits>

#include "base/error.h"
#include "expr/function_ids.h"
#include "types/native.h"

namespace tessera::expr {

namespace {

/// Returns the end of an integer dtype as a literal; unsigned only if int64 cannot hold it.
template <class T>
Literal literal_of_end(T end) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    if (end > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return end;
    }
  }
  return static_cast<int64_t>(end);
}

/// Calls `pick` with the numeric_limits of an ordered dtype that is not a float.
template <class Pick>
Literal end_of(DType dtype, Pick pick) {
  return visit_compute_type(dtype, [&](auto type) -> Literal {
    using T = typename decltype(type)::type;
    if constexpr (std::is_same_v<T, bool>) {
      return pick(std::numeric_limits<bool>{});
    } else if constexpr (std::is_integral_v<T>) {
      return literal_of_end<T>(pick(std::numeric_limits<T>{}));
    } else {
      throw_error(ErrorKind::internal, "{} has no integer range", name_of(dtype));
    }
  });
}

/// Makes the condition that the right state (value, position) replaces the left one.
int32_t right_is_better(ScalarBuilder& builder, const std::string& better, DType element) {
  const int32_t left = builder.parameter(0, element);
  const int32_t left_position = builder.parameter(1, DType::i64);
  const int32_t right = builder.parameter(2, element);
  const int32_t right_position = builder.parameter(3, DType::i64);
  const auto call = [&](const char* function, std::vector<int32_t> arguments) {
    return builder.call(function, std::move(arguments), DType::b1);
  };
  int32_t beats = call(better.c_str(), {right, left});
  int32_t ties = call(id::kEqual, {right, left});
  if (is_float(element)) {
    const int32_t left_is_nan = call(id::kIsNan, {left});
    const int32_t right_is_nan = call(id::kIsNan, {right});
    beats =
        call(id::kLogicalOr,
             {beats, call(id::kLogicalAnd, {right_is_nan, call(id::kLogicalNot, {left_is_nan})})});
    ties = call(id::kLogicalOr, {ties, call(id::kLogicalAnd, {right_is_nan, left_is_nan})});
  }
  const int32_t is_earlier = call(id::kLess, {right_position, left_position});
  return call(id::kLogicalOr, {beats, call(id::kLogicalAnd, {ties, is_earlier})});
}

}  // namespace

DType accumulator_of(DType element) {
  return compute_type(element);
}

Literal literal_of(int64_t value, DType dtype) {
  if (is_bool(dtype)) {
    return value != 0;
  }
  if (is_integer(dtype)) {
    return value;
  }
  return static_cast<double>(value);
}

Literal lowest_of(DType dtype) {
  if (is_float(dtype)) {
    return -std::numeric_limits<double>::infinity();
  }
  return end_of(dtype, [](auto limits) { return limits.lowest(); });
}

Literal highest_of(DType dtype) {
  if (is_float(dtype)) {
    return std::numeric_limits<double>::infinity();
  }
  return end_of(dtype, [](auto limits) { return limits.max(); });
}

void require_order(const std::string& aggregate, DType element) {
  TESSERA_USER_CHECK(!is_complex(element),
                     "{} is not defined for {}: complex numbers have no order; use {}(abs(...))",
                     aggregate, name_of(element), aggregate);
}

BoundAggregate reduce_by(const std::string& name, const std::string& function, DType element,
                         DType state, DType result, Literal identity) {
  BoundAggregate bound;
  ScalarBuilder lift;
  bound.lift = {lift.finish(lift.cast(lift.parameter(0, element), state))};
  ScalarBuilder combine;
  const int32_t left = combine.parameter(0, state);
  const int32_t right = combine.parameter(1, state);
  bound.monoid = {
      name, {state}, {combine.finish(combine.call(function, {left, right}, state))}, {identity}};
  ScalarBuilder finalise;
  bound.finalise = finalise.finish(finalise.cast(finalise.parameter(0, state), result));
  return bound;
}

BoundAggregate best_position(const std::string& name, const std::string& better, DType element,
                             Literal worst) {
  require_order(name, element);
  BoundAggregate bound;
  bound.defined_on_empty = false;
  ScalarBuilder lift;
  bound.lift = {lift.finish(lift.parameter(0, element)),
                lift.finish(lift.parameter(1, DType::i64))};
  // The identity's position is the last of all, so that an element equal to the worst value still
  // comes first.
  bound.monoid = {name, {element, DType::i64}, {}, {worst, std::numeric_limits<int64_t>::max()}};
  for (const int32_t entry : {0, 1}) {
    ScalarBuilder combine;
    const DType dtype = bound.monoid.state[static_cast<size_t>(entry)];
    const int32_t condition = right_is_better(combine, better, element);
    const int32_t right = combine.parameter(2 + entry, dtype);
    const int32_t left = combine.parameter(entry, dtype);
    bound.monoid.combine.push_back(
        combine.finish(combine.call(id::kWhere, {condition, right, left}, dtype)));
  }
  ScalarBuilder finalise;
  bound.finalise = finalise.finish(finalise.parameter(1, DType::i64));
  return bound;
}

}  // namespace tessera::expr
