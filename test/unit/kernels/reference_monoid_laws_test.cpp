#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include "base/error.h"
#include "expr/aggregate.h"
#include "kernels/reference/scalar_code.h"
#include "unit/expr/registries.h"

namespace tessera::kernels::reference_monoid_laws_test {
namespace {

/// A value of every state entry, as bytes of their compute types.
using State = std::vector<Element>;

Element evaluate(const expr::Scalar& scalar, const std::vector<Element>& parameters) {
  const ScalarCode code(scalar);
  std::vector<Element> values(code.num_values(), Element{});
  EXPECT_EQ(code.evaluate({{}, {}, parameters.data()}, values), Status::ok);
  return values.back();
}

State combine(const expr::Monoid& monoid, const State& left, const State& right) {
  State arguments = left;
  arguments.insert(arguments.end(), right.begin(), right.end());
  State result;
  for (const expr::Scalar& entry : monoid.combine) {
    result.push_back(evaluate(entry, arguments));
  }
  return result;
}

State identity_of(const expr::Monoid& monoid) {
  State state;
  for (size_t entry = 0; entry < monoid.state.size(); ++entry) {
    state.push_back(element_of(monoid.identity[entry], monoid.state[entry]));
  }
  return state;
}

/// The states of the elements 0, 1, 2, 3 at positions 0, 1, 2, 3. Equal elements for logsumexp,
/// whose sums of exponentials are exact only where every exponent is 0.
std::vector<State> sample_states(const std::string& name, const expr::BoundAggregate& bound,
                                 DType dtype) {
  std::vector<State> states;
  for (int64_t position = 0; position < 4; ++position) {
    const int64_t element = name == "logsumexp" ? 2 : position;
    State state;
    for (const expr::Scalar& lift : bound.lift) {
      state.push_back(
          evaluate(lift, {element_of(element, dtype), element_of(position, DType::i64)}));
    }
    states.push_back(state);
  }
  return states;
}

void expect_laws(const expr::Monoid& monoid, const std::vector<State>& states) {
  const State identity = identity_of(monoid);
  EXPECT_EQ(combine(monoid, identity, identity), identity);
  for (const State& a : states) {
    EXPECT_EQ(combine(monoid, identity, a), a);
    EXPECT_EQ(combine(monoid, a, identity), a);
    for (const State& b : states) {
      EXPECT_EQ(combine(monoid, a, b), combine(monoid, b, a));
      for (const State& c : states) {
        EXPECT_EQ(combine(monoid, combine(monoid, a, b), c),
                  combine(monoid, a, combine(monoid, b, c)));
      }
    }
  }
}

/// Whether every entry of every merged state is that entry of one of the two.
bool picks_arguments(const expr::Monoid& monoid, const std::vector<State>& states) {
  for (const State& a : states) {
    for (const State& b : states) {
      const State merged = combine(monoid, a, b);
      for (size_t entry = 0; entry < merged.size(); ++entry) {
        if (!(merged[entry] == a[entry] || merged[entry] == b[entry])) {
          return false;
        }
      }
    }
  }
  return true;
}

TEST(ReferenceMonoidLaws, WhatIsSaidToPickAnArgumentComputesNothing) {
  for (const std::string& name : expr::all_aggregates().names()) {
    const expr::Aggregate& aggregate = *expr::all_aggregates().find(name);
    const expr::BoundAggregate bound = aggregate.bind(DType::f32);
    EXPECT_EQ(picks_arguments(bound.monoid, sample_states(name, bound, DType::f32)),
              aggregate.picks_argument)
        << name;
  }
}

/// f(x, y) of one dtype, or nothing where it faults.
std::optional<Element> applied(const std::string& function, const Element& x, const Element& y,
                               DType dtype) {
  expr::ScalarBuilder builder;
  const int32_t left = builder.parameter(0, dtype);
  const int32_t right = builder.parameter(1, dtype);
  const ScalarCode code(builder.finish(builder.call(function, {left, right}, dtype)));
  std::vector<Element> values(code.num_values(), Element{});
  const State parameters = {x, y};
  const Status status = code.evaluate({{}, {}, parameters.data()}, values);
  return status == Status::ok ? std::optional(values.back()) : std::nullopt;
}

/// Whether f(e, x) and f(x, e) merge with every state as the identity e does, for finite numbers x.
bool annihilates(const std::string& function, const expr::Monoid& monoid) {
  const DType dtype = monoid.state.front();
  const Element identity = identity_of(monoid).front();
  std::vector<Element> samples;
  for (const int64_t number : {-3, -1, 0, 1, 2, 100}) {
    samples.push_back(element_of(number, dtype));
  }
  for (const Element& x : samples) {
    for (const auto& result :
         {applied(function, identity, x, dtype), applied(function, x, identity, dtype)}) {
      const bool is_identity =
          result && std::all_of(samples.begin(), samples.end(), [&](const Element& y) {
            return combine(monoid, {*result}, {y}) == State{y};
          });
      if (!is_identity) {
        return false;
      }
    }
  }
  return true;
}

/// Whether a function takes two numbers of a dtype and gives one.
bool stays_in(const std::string& name, DType dtype) {
  const expr::Function* const function = expr::all_functions().find_scalar(name);
  if (function == nullptr || function->arity != 2) {
    return false;
  }
  try {
    const expr::FunctionTypes types = function->bind({dtype, dtype});
    return types.result == dtype && types.arguments == std::vector<DType>{dtype, dtype};
  } catch (const Error&) {
    return false;
  }
}

/// Truth values and numbers without a sign obey more laws than the pair has in general, and hypot
/// of infinity is no join that anyone minimises.
bool may_stay_unsaid(const std::string& function, DType dtype) {
  return is_bool(dtype) || is_unsigned_integer(dtype) || function == "hypot";
}

/// The pairs whose function is said to annihilate the aggregate's identity in a dtype; checks all
/// functions under one aggregate of it.
int check_annihilation(const std::string& aggregate, const expr::Monoid& monoid) {
  int num_said = 0;
  const DType dtype = monoid.state.front();
  for (const std::string& function : expr::all_functions().names()) {
    if (!stays_in(function, dtype)) {
      continue;
    }
    const bool is_said = expr::all_functions().annihilates(function, aggregate, dtype);
    const bool is_true = annihilates(function, monoid);
    EXPECT_TRUE(is_true == is_said || (is_true && may_stay_unsaid(function, dtype)))
        << function << " under " << aggregate << ":" << name_of(dtype) << " is said " << is_said;
    num_said += is_said ? 1 : 0;
  }
  return num_said;
}

TEST(ReferenceMonoidLaws, AFunctionAnnihilatesTheIdentitiesThatItSays) {
  int num_said = 0;
  for (const std::string& name : expr::all_aggregates().names()) {
    for (const DType dtype : all_dtypes()) {
      try {
        const expr::Monoid monoid = expr::all_aggregates().find(name)->bind(dtype).monoid;
        num_said += monoid.state.size() == 1 ? check_annihilation(name, monoid) : 0;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::user) << error.what();
      }
    }
  }
  EXPECT_EQ(num_said, 152);
}

TEST(ReferenceMonoidLaws, HoldForEveryAggregateAndDtype) {
  const expr::AggregateRegistry& registry = expr::all_aggregates();
  int num_checked = 0;
  for (const std::string& name : registry.names()) {
    for (const DType dtype : all_dtypes()) {
      SCOPED_TRACE(name + " of " + std::string(name_of(dtype)));
      try {
        const expr::BoundAggregate bound = registry.find(name)->bind(dtype);
        expect_laws(bound.monoid, sample_states(name, bound, dtype));
        ++num_checked;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::user) << error.what();
      }
    }
  }
  EXPECT_EQ(num_checked,
            10 * 15 - 5 * 2);  // max, min, argmax, argmin, logsumexp refuse both complex dtypes
}

}  // namespace
}  // namespace tessera::kernels::reference_monoid_laws_test
