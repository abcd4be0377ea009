#include "frontend/einsum/program/aggregate.h"

#include <cmath>

#include "base/error.h"
#include "frontend/einsum/program/typing.h"

namespace tessera::frontend {

namespace {

Value combine(const UserAggregate& aggregate, ExpressionBuilder& builder, const Value& left,
              const Value& right) {
  SourceSpan at;
  const auto parameter = [&](const ResolvedNode& node) -> Value {
    const ResolvedParameter* found = parameter_at(node);
    return found == nullptr ? no_leaf(node) : found->position == 0 ? left : right;
  };
  Typing typing(aggregate.combine.nodes, builder, parameter, at);
  return typing.value_of(aggregate.combine.root);
}

/// The dtype of combine over two states of a dtype.
DType combined_dtype(const UserAggregate& aggregate, DType state, const Vocabulary& vocabulary) {
  ExpressionBuilder builder(vocabulary);
  const Value left = builder.parameter(0, state);
  const Value right = builder.parameter(1, state);
  return builder.dtype_of(combine(aggregate, builder, left, right));
}

/// Combines numbers as a run would: the value, or nothing where combine is not made of functions
/// that can be folded.
class SampleCombine {
 public:
  SampleCombine(const UserAggregate& aggregate, const Vocabulary& vocabulary)
      : aggregate_(aggregate), vocabulary_(vocabulary) {}

  Literal operator()(const Literal& left, const Literal& right) const {
    ExpressionBuilder builder(vocabulary_);
    const Value value = combine(aggregate_, builder, {left}, {right});
    TESSERA_USER_CHECK(value.is_number(), "combine cannot be tried on numbers");
    return value.number();
  }

 private:
  const UserAggregate& aggregate_;
  const Vocabulary& vocabulary_;
};

/// Equal but for rounding: the laws of a user's aggregate may hold in real numbers only.
bool is_close(const Literal& a, const Literal& b) {
  constexpr double kRelative = 1e-9;
  const auto x = literal_as<std::complex<double>>(a);
  const auto y = literal_as<std::complex<double>>(b);
  const bool both_nan = std::isnan(x.real()) && std::isnan(y.real());
  return both_nan || x == y || std::abs(x - y) <= kRelative * std::max(std::abs(x), std::abs(y));
}

/// Samples of one kind; small, of both signs and zero, exact in every dtype that holds them.
std::vector<Literal> samples_of(DType kind) {
  if (kind == DType::b1) {
    return {true, false};
  }
  if (kind == DType::i64) {
    return {int64_t{3}, int64_t{-2}, int64_t{0}, int64_t{1}};
  }
  return {3.0, -2.0, 0.0, 0.5};
}

void check_law(bool holds, const std::string& name, const std::string& law,
               const std::string& example) {
  TESSERA_USER_CHECK(holds, "{} is no aggregate: {}, but {}", name, law, example);
}

void check_laws_on(const std::string& name, const UserAggregate& aggregate,
                   const std::vector<Literal>& samples, const Vocabulary& vocabulary) {
  const SampleCombine merge(aggregate, vocabulary);
  const auto shown = [&](const Literal& a, const Literal& b) {
    return fmt::format("{}({}, {}) is {}", name, to_string(a), to_string(b),
                       to_string(merge(a, b)));
  };
  const Literal& identity = aggregate.identity;
  for (const Literal& x : samples) {
    check_law(is_close(merge(identity, x), x), name, "its identity must change nothing",
              shown(identity, x));
    for (const Literal& y : samples) {
      check_law(is_close(merge(x, y), merge(y, x)), name, "the order must not matter",
                shown(x, y) + " and " + shown(y, x));
      for (const Literal& z : samples) {
        check_law(is_close(merge(merge(x, y), z), merge(x, merge(y, z))), name,
                  "the grouping must not matter",
                  shown(merge(x, y), z) + " and " + shown(x, merge(y, z)));
      }
    }
  }
}

/// The kind of numbers that combine is defined for: floats if it can, else integers, else bool.
std::optional<DType> sample_kind(const UserAggregate& aggregate, const Vocabulary& vocabulary) {
  for (const DType kind : {DType::f64, DType::i64, DType::b1}) {
    try {
      combined_dtype(aggregate, kind, vocabulary);
      return kind;
    } catch (const Error&) {
      continue;  // not defined for this kind
    }
  }
  return std::nullopt;
}

}  // namespace

expr::BoundAggregate bind_user_aggregate(const std::string& name, const UserAggregate& aggregate,
                                         DType element, const Vocabulary& vocabulary) {
  DType state = element;
  for (DType next = combined_dtype(aggregate, state, vocabulary); next != state;
       next = combined_dtype(aggregate, state, vocabulary)) {
    TESSERA_USER_CHECK(promote(state, next) == next,
                       "combining two {} gives {}, which cannot be combined again", name_of(state),
                       name_of(next));
    state = next;
  }
  ExpressionBuilder lift(vocabulary);
  ExpressionBuilder merge(vocabulary);
  ExpressionBuilder identity(vocabulary);
  const Value left = merge.parameter(0, state);
  const Value right = merge.parameter(1, state);
  identity.cast(identity.number(aggregate.identity), state);  // throws if it does not fit
  expr::BoundAggregate bound;
  bound.monoid = {name, {state}, {}, {aggregate.identity}};
  bound.monoid.combine.push_back(merge.finish(combine(aggregate, merge, left, right)));
  bound.lift.push_back(lift.finish(lift.cast(lift.parameter(0, element), state)));
  ExpressionBuilder finalise(vocabulary);
  bound.finalise = finalise.finish(finalise.parameter(0, state));
  return bound;
}

void check_aggregate_laws(const std::string& name, const UserAggregate& aggregate,
                          const Vocabulary& vocabulary) {
  const std::optional<DType> kind = sample_kind(aggregate, vocabulary);
  TESSERA_USER_CHECK(kind.has_value(), "{} has no meaning for floats, integers or bool", name);
  check_laws_on(name, aggregate, samples_of(*kind), vocabulary);
}

}  // namespace tessera::frontend
