#include "frontend/einsum/program/aggregate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "frontend/einsum/program/typing.h"

namespace tessera::frontend {

namespace {

using Values = std::vector<Value>;
using Literals = std::vector<Literal>;

/// The value of an expression over parameters.
Value value_of(const ResolvedExpression& expression, ExpressionBuilder& builder,
               const Values& parameters) {
  SourceSpan at;
  const auto parameter = [&](const ResolvedNode& node) -> Value {
    const ResolvedParameter* found = parameter_at(node);
    return found == nullptr ? no_leaf(node) : parameters[static_cast<size_t>(found->position)];
  };
  return Typing(expression.nodes, builder, parameter, at).value_of(expression.root);
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

/// Parameters of these dtypes, from a position on.
Values parameters_of(ExpressionBuilder& builder, const std::vector<DType>& dtypes, size_t first) {
  Values values;
  for (const DType dtype : dtypes) {
    values.push_back(builder.parameter(static_cast<int32_t>(first + values.size()), dtype));
  }
  return values;
}

/// The dtypes of combine over two states.
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

/// Combines numbers as a run would. Throws a user Error where combine is not made of functions that
/// can be folded.
class SampleCombine {
 public:
  SampleCombine(const UserAggregate& aggregate, const Vocabulary& vocabulary)
      : aggregate_(aggregate), vocabulary_(vocabulary) {}

  Literals operator()(const Literals& left, const Literals& right) const {
    ExpressionBuilder builder(vocabulary_);
    Literals combined;
    for (const Value& value : combine(aggregate_, builder, values(left), values(right))) {
      TESSERA_USER_CHECK(value.is_number(), "combine cannot be tried on numbers");
      combined.push_back(value.number());
    }
    return combined;
  }

 private:
  static Values values(const Literals& numbers) {
    Values values;
    for (const Literal& number : numbers) {
      values.push_back({number});
    }
    return values;
  }

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

bool are_close(const Literals& a, const Literals& b) {
  return std::equal(a.begin(), a.end(), b.begin(), is_close);
}

/// States of these numbers: each alone where a state is one number, else a few mixtures.
std::vector<Literals> states_of(const Literals& numbers, size_t num_entries) {
  constexpr size_t kMixtures = 6;
  const size_t num_states = num_entries == 1 ? numbers.size() : kMixtures;
  std::vector<Literals> states(num_states);
  for (size_t state = 0; state < num_states; ++state) {
    for (size_t entry = 0; entry < num_entries; ++entry) {
      states[state].push_back(numbers[(state * (entry + 1) + entry) % numbers.size()]);
    }
  }
  return states;
}

std::string text_of(const Literals& state) {
  std::vector<std::string> numbers;
  for (const Literal& number : state) {
    numbers.push_back(to_string(number));
  }
  return numbers.size() == 1 ? numbers[0] : fmt::format("({})", fmt::join(numbers, ", "));
}

/// The laws of one aggregate, tried on states.
class LawCheck {
 public:
  LawCheck(const std::string& name, const UserAggregate& aggregate, std::vector<Literals> states,
           const Vocabulary& vocabulary)
      : name_(name),
        identity_(aggregate.identity),
        states_(std::move(states)),
        merge_(aggregate, vocabulary) {}

  std::string run() const {
    std::string order_matters;
    for (const Literals& x : states_) {
      check(are_close(merge_(identity_, x), x), "its identity must change nothing",
            shown(identity_, x));
      for (const Literals& y : states_) {
        if (order_matters.empty() && !are_close(merge_(x, y), merge_(y, x))) {
          order_matters = shown(x, y) + " and " + shown(y, x);
        }
        check_grouping(x, y);
      }
    }
    return order_matters;
  }

 private:
  void check_grouping(const Literals& x, const Literals& y) const {
    for (const Literals& z : states_) {
      check(are_close(merge_(merge_(x, y), z), merge_(x, merge_(y, z))),
            "the grouping must not matter",
            shown(merge_(x, y), z) + " and " + shown(x, merge_(y, z)));
    }
  }

  void check(bool holds, const char* law, const std::string& example) const {
    TESSERA_USER_CHECK(holds, "{} is no aggregate: {}, but {}", name_, law, example);
  }

  std::string shown(const Literals& a, const Literals& b) const {
    return fmt::format("{}({}, {}) is {}", name_, text_of(a), text_of(b), text_of(merge_(a, b)));
  }

  const std::string& name_;
  const Literals& identity_;
  const std::vector<Literals> states_;
  const SampleCombine merge_;
};

/// The kind of numbers that combine is defined for: floats if it can, else integers, else bool.
std::optional<DType> sample_kind(const UserAggregate& aggregate, const Vocabulary& vocabulary) {
  for (const DType kind : {DType::f64, DType::i64, DType::b1}) {
    try {
      combined_dtypes(aggregate, std::vector<DType>(aggregate.combine.size(), kind), vocabulary);
      return kind;
    } catch (const Error&) {
      continue;  // not defined for this kind
    }
  }
  return std::nullopt;
}

/// The dtypes that combine keeps, from those of the elements on.
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

/// The same, what is stored narrow in what it is computed in.
std::vector<DType> computed_dtypes(const UserAggregate& aggregate, std::vector<DType> kept,
                                   const Vocabulary& vocabulary) {
  std::transform(kept.begin(), kept.end(), kept.begin(), compute_type);
  return kept_dtypes(aggregate, std::move(kept), vocabulary);
}

/// What a state of these dtypes gives.
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

std::string check_aggregate_laws(const std::string& name, const UserAggregate& aggregate,
                                 const Vocabulary& vocabulary) {
  const std::optional<DType> kind = sample_kind(aggregate, vocabulary);
  TESSERA_USER_CHECK(kind.has_value(), "{} has no meaning for floats, integers or bool", name);
  return LawCheck(name, aggregate, states_of(samples_of(*kind), aggregate.combine.size()),
                  vocabulary)
      .run();
}

}  // namespace tessera::frontend
