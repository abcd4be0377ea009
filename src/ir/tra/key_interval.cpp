#include "ir/tra/key_interval.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>

#include "base/overload.h"
#include "expr/function_ids.h"
#include "ir/tra/key_predicate.h"

namespace tessera::tra {

namespace {

/// The most boxes that are looked at: milliseconds.
constexpr int64_t kMostBoxes = 20'000;

/// Integers from `low` to `high`; truth values are 0 and 1. Nothing: not known.
struct Bounds {
  int64_t low = 0;
  int64_t high = 0;
};
using Interval = std::optional<Bounds>;
using OnBounds = Interval (*)(const Bounds&, const Bounds&);

Interval truth(bool surely, bool maybe) {
  return Bounds{surely ? 1 : 0, maybe ? 1 : 0};
}

/// Returns the hull; nothing if a number leaves 64 bits.
template <class Overflows>
Interval hull(Overflows overflows, std::initializer_list<std::pair<int64_t, int64_t>> pairs) {
  Interval result;
  for (const auto& [x, y] : pairs) {
    int64_t value = 0;
    if (overflows(x, y, &value)) {
      return std::nullopt;
    }
    result = result ? Bounds{std::min(result->low, value), std::max(result->high, value)}
                    : Bounds{value, value};
  }
  return result;
}

Interval add(const Bounds& a, const Bounds& b) {
  return hull([](int64_t x, int64_t y, int64_t* z) { return __builtin_add_overflow(x, y, z); },
              {{a.low, b.low}, {a.high, b.high}});
}
Interval subtract(const Bounds& a, const Bounds& b) {
  return hull([](int64_t x, int64_t y, int64_t* z) { return __builtin_sub_overflow(x, y, z); },
              {{a.low, b.high}, {a.high, b.low}});
}
Interval multiply(const Bounds& a, const Bounds& b) {
  return hull([](int64_t x, int64_t y, int64_t* z) { return __builtin_mul_overflow(x, y, z); },
              {{a.low, b.low}, {a.low, b.high}, {a.high, b.low}, {a.high, b.high}});
}

int64_t floor_of(int64_t x, int64_t y) {
  return x / y - (x % y < 0 ? 1 : 0);
}

/// Divides by a divisor that is one positive number.
Interval floor_divide(const Bounds& a, const Bounds& b) {
  if (b.low != b.high || b.low <= 0) {
    return std::nullopt;
  }
  return Bounds{floor_of(a.low, b.low), floor_of(a.high, b.low)};
}
Interval remainder(const Bounds& a, const Bounds& b) {
  const Interval quotient = floor_divide(a, b);
  if (!quotient) {
    return std::nullopt;
  }
  if (quotient->low != quotient->high) {
    return Bounds{0, b.low - 1};
  }
  const int64_t begin = quotient->low * b.low;
  return Bounds{a.low - begin, a.high - begin};
}

Interval less(const Bounds& a, const Bounds& b) {
  return truth(a.high < b.low, a.low < b.high);
}
Interval less_equal(const Bounds& a, const Bounds& b) {
  return truth(a.high <= b.low, a.low <= b.high);
}
Interval equal(const Bounds& a, const Bounds& b) {
  return truth(a.low == a.high && b.low == b.high && a.low == b.low,
               a.low <= b.high && b.low <= a.high);
}
Interval not_equal(const Bounds& a, const Bounds& b) {
  const Interval same = equal(a, b);
  return truth(same->high == 0, same->low == 0);
}

Bounds truth_of(const Bounds& value) {
  const bool is_zero = value.low == 0 && value.high == 0;
  const bool may_be_zero = value.low <= 0 && value.high >= 0;
  return {may_be_zero ? 0 : 1, is_zero ? 0 : 1};
}

Interval logical_not(const Bounds& a, const Bounds&) {
  return subtract({1, 1}, truth_of(a));
}
Interval logical_and(const Bounds& a, const Bounds& b) {
  return multiply(truth_of(a), truth_of(b));
}
Interval logical_or(const Bounds& a, const Bounds& b) {
  const Bounds one = truth_of(a);
  const Bounds other = truth_of(b);
  return Bounds{std::max(one.low, other.low), std::max(one.high, other.high)};
}

/// Returns the functions on bounds. Functions of one argument get it twice.
const std::map<std::string, OnBounds>& functions_on_bounds() {
  namespace id = expr::id;
  static const std::map<std::string, OnBounds> table = {
      {id::kAdd, &add},
      {id::kSubtract, &subtract},
      {id::kMultiply, &multiply},
      {id::kFloorDivide, &floor_divide},
      {id::kRemainder, &remainder},
      {id::kLess, &less},
      {id::kLessEqual, &less_equal},
      {id::kGreater, [](const Bounds& a, const Bounds& b) { return less(b, a); }},
      {id::kGreaterEqual, [](const Bounds& a, const Bounds& b) { return less_equal(b, a); }},
      {id::kEqual, &equal},
      {id::kNotEqual, &not_equal},
      {id::kMaximum,
       [](const Bounds& a, const Bounds& b) {
         return Interval(Bounds{std::max(a.low, b.low), std::max(a.high, b.high)});
       }},
      {id::kMinimum,
       [](const Bounds& a, const Bounds& b) {
         return Interval(Bounds{std::min(a.low, b.low), std::min(a.high, b.high)});
       }},
      {id::kNegative,
       [](const Bounds& a, const Bounds&) {
         return subtract({0, 0}, a);
       }},
      {id::kLogicalNot, &logical_not},
      {id::kLogicalAnd, &logical_and},
      {id::kLogicalOr, &logical_or}};
  return table;
}

/// The bounds of the nodes of a predicate over a box, in order.
class BoundsOf {
 public:
  BoundsOf(const expr::Scalar& predicate, const std::vector<KeyRange>& box)
      : predicate_(predicate), box_(box) {}

  Interval run() && {
    for (const expr::Node& node : predicate_.nodes) {
      const bool is_integer = node.dtype == DType::i64 || node.dtype == DType::b1;
      known_.push_back(is_integer ? bounds_of(node) : std::nullopt);
      if (known_.back() && node.dtype == DType::b1) {
        known_.back() = truth_of(*known_.back());
      }
    }
    return known_.back();
  }

 private:
  Interval bounds_of(const expr::Node& node) const {
    return std::visit(Overload{[](const expr::Constant& constant) -> Interval {
                                 const auto value = literal_as<int64_t>(constant.value);
                                 return Bounds{value, value};
                               },
                               [](const expr::Access&) -> Interval { return std::nullopt; },
                               [&](const expr::IndexOf& index) -> Interval {
                                 const KeyRange& range = box_[static_cast<size_t>(index.label)];
                                 return Bounds{range.begin, range.end - 1};
                               },
                               [](const expr::Parameter&) -> Interval { return std::nullopt; },
                               [&](const expr::Call& call) { return of_call(call); },
                               [&](const expr::Cast& cast) {
                                 return known_[static_cast<size_t>(cast.argument)];
                               }},
                      node.op);
  }

  Interval of_call(const expr::Call& call) const {
    const auto function = functions_on_bounds().find(call.function);
    if (function == functions_on_bounds().end() || call.arguments.empty()) {
      return std::nullopt;
    }
    const Interval& first = known_[static_cast<size_t>(call.arguments.front())];
    const Interval& last = known_[static_cast<size_t>(call.arguments.back())];
    return first && last ? function->second(*first, *last) : std::nullopt;
  }

  const expr::Scalar& predicate_;
  const std::vector<KeyRange>& box_;
  std::vector<Interval> known_;
};

/// A search of the boxes of a key space in the order of their first keys.
class Halving {
 public:
  explicit Halving(const expr::Scalar& predicate) : predicate_(predicate) {}

  FirstLeftOut in(std::vector<KeyRange> box) {
    if (++num_boxes_ > kMostBoxes) {
      return {std::nullopt, false};
    }
    const Verdict verdict = holds_within(predicate_, box);
    if (verdict == Verdict::all) {
      return {};
    }
    const auto wide = std::find_if(
        box.begin(), box.end(), [](const KeyRange& range) { return range.end - range.begin > 1; });
    if (verdict == Verdict::none || wide == box.end()) {
      return at(box);
    }
    const KeyRange whole = *wide;
    wide->end = whole.begin + (whole.end - whole.begin) / 2;
    FirstLeftOut found = in(box);
    if (found.key || !found.is_known) {
      return found;
    }
    *wide = {wide->end, whole.end};
    return in(std::move(box));
  }

 private:
  /// Returns the result for the first key of a box, which is left out, or is the only one.
  FirstLeftOut at(const std::vector<KeyRange>& box) const {
    Key key;
    for (const KeyRange& range : box) {
      key.push_back(range.begin);
    }
    const std::optional<bool> is_kept = holds(predicate_, key);
    if (!is_kept) {
      return {std::nullopt, false};
    }
    return *is_kept ? FirstLeftOut{} : FirstLeftOut{std::move(key)};
  }

  const expr::Scalar& predicate_;
  int64_t num_boxes_ = 0;
};

}  // namespace

Verdict holds_within(const expr::Scalar& predicate, const std::vector<KeyRange>& box) {
  const Interval value = BoundsOf(predicate, box).run();
  if (!value || value->low != value->high) {
    return Verdict::some;
  }
  return value->low != 0 ? Verdict::all : Verdict::none;
}

FirstLeftOut first_left_out(const expr::Scalar& predicate, const std::vector<KeyDim>& key) {
  std::vector<KeyRange> box;
  for (const KeyDim& dim : key) {
    box.push_back({0, num_keys(dim)});
    if (num_keys(dim) == 0) {
      return {};
    }
  }
  return Halving(predicate).in(std::move(box));
}

}  // namespace tessera::tra
