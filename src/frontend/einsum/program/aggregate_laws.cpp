#include "frontend/einsum/program/aggregate_laws.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "frontend/einsum/program/aggregate.h"
#include "frontend/einsum/program/typing.h"

namespace tessera::frontend {

namespace {

using Literals = std::vector<Literal>;

/// A combine of numbers, evaluated as a run would. Throws a user Error if combine is not made of
/// functions that can be folded.
class SampleCombine {
 public:
  SampleCombine(const UserAggregate& aggregate, const Vocabulary& vocabulary)
      : aggregate_(aggregate), vocabulary_(vocabulary) {}

  Literals operator()(const Literals& left, const Literals& right) const {
    ExpressionBuilder builder(vocabulary_);
    Literals combined;
    for (const Value& value : combine_states(aggregate_, builder, values(left), values(right))) {
      TESSERA_USER_CHECK(value.is_number(), "combine cannot be tried on numbers");
      combined.push_back(value.number());
    }
    return combined;
  }

 private:
  static std::vector<Value> values(const Literals& numbers) {
    std::vector<Value> values;
    for (const Literal& number : numbers) {
      values.push_back({number});
    }
    return values;
  }

  const UserAggregate& aggregate_;
  const Vocabulary& vocabulary_;
};

/// True if numbers are equal but for rounding: the laws of a user's aggregate may hold in real
/// numbers only.
bool is_close(const Literal& a, const Literal& b) {
  constexpr double kRelative = 1e-9;
  const auto x = literal_as<std::complex<double>>(a);
  const auto y = literal_as<std::complex<double>>(b);
  const bool both_nan = std::isnan(x.real()) && std::isnan(y.real());
  return both_nan || x == y || std::abs(x - y) <= kRelative * std::max(std::abs(x), std::abs(y));
}

/// Returns samples of one kind: small, of both signs and zero, exact in every dtype that holds
/// them.
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

/// Returns states of these numbers: each alone if a state is one number, else a few mixtures.
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

/// A check of the laws of one aggregate, on states.
class LawCheck {
 public:
  LawCheck(const std::string& name, const UserAggregate& aggregate, std::vector<Literals> states,
           const Vocabulary& vocabulary)
      : name_(name),
        identity_(aggregate.identity),
        states_(std::move(states)),
        merge_(aggregate, vocabulary) {}

  TriedLaws run() const {
    TriedLaws tried;
    for (const Literals& x : states_) {
      note(are_close(merge_(identity_, x), x), "its identity must change nothing",
           shown(identity_, x), tried);
      for (const Literals& y : states_) {
        if (tried.order_matters.empty() && !are_close(merge_(x, y), merge_(y, x))) {
          tried.order_matters = shown(x, y) + " and " + shown(y, x);
        }
        try_groupings(x, y, tried);
      }
    }
    return tried;
  }

 private:
  void try_groupings(const Literals& x, const Literals& y, TriedLaws& tried) const {
    for (const Literals& z : states_) {
      if (!tried.broken.empty()) {
        return;
      }
      note(are_close(merge_(merge_(x, y), z), merge_(x, merge_(y, z))),
           "the grouping must not matter",
           shown(merge_(x, y), z) + " and " + shown(x, merge_(y, z)), tried);
    }
  }

  void note(bool holds, const char* law, const std::string& example, TriedLaws& tried) const {
    if (!holds && tried.broken.empty()) {
      tried.broken = fmt::format("{} is no aggregate: {}, but {}", name_, law, example);
    }
  }

  std::string shown(const Literals& a, const Literals& b) const {
    return fmt::format("{}({}, {}) is {}", name_, text_of(a), text_of(b), text_of(merge_(a, b)));
  }

  const std::string& name_;
  const Literals& identity_;
  const std::vector<Literals> states_;
  const SampleCombine merge_;
};

/// Returns the kind of numbers that combine is defined for: floats if possible, else integers, else
/// bool.
std::optional<DType> sample_kind(const UserAggregate& aggregate, const Vocabulary& vocabulary) {
  for (const DType kind : {DType::f64, DType::i64, DType::b1}) {
    if (combines(aggregate, kind, vocabulary)) {
      return kind;
    }
  }
  return std::nullopt;
}

/// Numbers for the leaves of a statement, a different one for every draw and every leaf.
class DrawnLeaves {
 public:
  DrawnLeaves(const ResolvedExpression& statement, uint64_t draw)
      : statement_(statement), draw_(draw) {}

  Value operator()(const ResolvedNode& node) const {
    return std::visit(
        Overload{
            [&](const ResolvedSize& size) -> Value {
              return {statement_.labels[static_cast<size_t>(size.label)].extent.value_or(1)};
            },
            [&](const ResolvedIndex&) -> Value { return {static_cast<int64_t>(draw_)}; },
            [&](const ResolvedRead& read) -> Value {
              return {drawn(kind_of(read.type.dtype), read.vertex.index())};
            },
            [&](const Among<Literal, ResolvedParameter, ResolvedCall, ResolvedCast,
                            ResolvedReduction, ResolvedScan, ResolvedWhole, ResolvedConcat> auto&)
                -> Value {
              const auto number = static_cast<size_t>(&node - statement_.nodes.data());
              return {drawn(DType::f64, number)};
            }},
        node.of);
  }

 private:
  static DType kind_of(DType dtype) {
    return is_bool(dtype) ? DType::b1 : is_integer(dtype) ? DType::i64 : DType::f64;
  }

  Literal drawn(DType kind, size_t leaf) const {
    constexpr uint64_t kMix = 0x9E3779B97F4A7C15;
    constexpr int kUpperBits = 40;
    const std::vector<Literal> samples = samples_of(kind);
    const uint64_t mixed = ((draw_ * 31 + leaf + 1) * kMix) >> kUpperBits;
    return samples[mixed % samples.size()];
  }

  const ResolvedExpression& statement_;
  uint64_t draw_;
};

/// Returns the state that a draw makes; nothing if it has none, or it is not of numbers alone.
std::optional<Literals> drawn_state(const ResolvedExpression& statement,
                                    const std::vector<int32_t>& elements, uint64_t draw,
                                    const Vocabulary& vocabulary) {
  const DrawnLeaves leaf(statement, draw);
  Literals state;
  for (const int32_t element : elements) {
    try {
      ExpressionBuilder builder(vocabulary);
      GuardValues guards;
      SourceSpan at;
      const Value value = Typing(statement.nodes, builder, guards, leaf, at).value_of(element);
      if (!value.is_number()) {
        return std::nullopt;
      }
      state.push_back(value.number());
    } catch (const Error&) {
      return std::nullopt;  // the numbers have no such value
    }
  }
  return state;
}

void add_new(std::vector<Literals>& states, Literals state) {
  if (std::find(states.begin(), states.end(), state) == states.end()) {
    states.push_back(std::move(state));
  }
}

}  // namespace

TriedLaws try_laws(const std::string& name, const UserAggregate& aggregate,
                   const Vocabulary& vocabulary) {
  const std::optional<DType> kind = sample_kind(aggregate, vocabulary);
  TESSERA_USER_CHECK(kind.has_value(), "{} has no meaning for floats, integers or bool", name);
  return LawCheck(name, aggregate, states_of(samples_of(*kind), aggregate.combine.size()),
                  vocabulary)
      .run();
}

std::optional<TriedLaws> try_laws_where_used(const std::string& name,
                                             const UserAggregate& aggregate,
                                             const ResolvedExpression& statement,
                                             const std::vector<int32_t>& elements,
                                             const Vocabulary& vocabulary) {
  constexpr uint64_t kDraws = 24;
  constexpr size_t kMostElements = 6;
  constexpr size_t kMostStates = 9;
  std::vector<Literals> states;
  for (uint64_t draw = 0; draw < kDraws && states.size() < kMostElements; ++draw) {
    if (std::optional<Literals> state = drawn_state(statement, elements, draw, vocabulary)) {
      add_new(states, std::move(*state));
    }
  }
  if (states.empty()) {
    return std::nullopt;
  }
  const SampleCombine merge(aggregate, vocabulary);
  const size_t num_elements = states.size();
  for (size_t state = 0; state < num_elements && states.size() < kMostStates; ++state) {
    add_new(states, merge(states[state], states[num_elements - 1 - state]));
  }
  return LawCheck(name, aggregate, states, vocabulary).run();
}

}  // namespace tessera::frontend
