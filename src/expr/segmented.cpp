#include "expr/segmented.h"

#include <utility>

#include <fmt/format.h>

#include "expr/function_ids.h"

namespace tessera::expr {

namespace {

/// The entries of a state behind those of the scan itself.
using Entry = int32_t;
constexpr Entry kLast = 0;
constexpr Entry kFirst = 1;
constexpr Entry kIsOne = 2;
constexpr Entry kIsSome = 3;
constexpr int32_t kNumEntries = 4;

class Segmenting {
 public:
  Segmenting(const Monoid& monoid, DType segment)
      : monoid_(monoid), segment_(segment), num_own_(static_cast<int32_t>(monoid.state.size())) {}

  Monoid monoid() const {
    Monoid made;
    made.name = fmt::format("{}.by.{}", monoid_.name, name_of(segment_));
    made.is_commutative = false;
    made.state = monoid_.state;
    made.state.insert(made.state.end(), {segment_, segment_, DType::b1, DType::b1});
    made.identity = monoid_.identity;
    const Literal nothing = is_bool(segment_)      ? Literal(false)
                            : is_integer(segment_) ? Literal(int64_t{0})
                                                   : Literal(0.0);
    made.identity.insert(made.identity.end(), {nothing, nothing, true, false});
    for (int32_t entry = 0; entry < num_own_; ++entry) {
      made.combine.push_back(own_entry(entry));
    }
    made.combine.push_back(either(kLast, kRight));
    made.combine.push_back(either(kFirst, kLeft));
    made.combine.push_back(is_one());
    made.combine.push_back(is_some());
    return made;
  }

 private:
  using Side = int32_t;
  static constexpr Side kLeft = 0;
  static constexpr Side kRight = 1;

  DType dtype_of(int32_t entry) const { return entry < kIsOne ? segment_ : DType::b1; }
  int32_t own(ScalarBuilder& builder, Side side, int32_t entry) const {
    return builder.parameter(side * (num_own_ + kNumEntries) + entry,
                             monoid_.state[static_cast<size_t>(entry)]);
  }
  int32_t at(ScalarBuilder& builder, Side side, Entry entry) const {
    return builder.parameter(side * (num_own_ + kNumEntries) + num_own_ + entry, dtype_of(entry));
  }
  static int32_t both(ScalarBuilder& builder, int32_t a, int32_t b) {
    return builder.call(id::kLogicalAnd, {a, b}, DType::b1);
  }
  static int32_t any(ScalarBuilder& builder, int32_t a, int32_t b) {
    return builder.call(id::kLogicalOr, {a, b}, DType::b1);
  }
  static int32_t negated(ScalarBuilder& builder, int32_t a) {
    return builder.call(id::kLogicalNot, {a}, DType::b1);
  }

  /// True if the last segment of the left continues in the first of the right.
  int32_t meet(ScalarBuilder& builder) const {
    return builder.call(id::kEqual, {at(builder, kLeft, kLast), at(builder, kRight, kFirst)},
                        DType::b1);
  }

  /// If the right state continues the left's last segment, merges the two. If it starts a new
  /// segment, takes the right. If it is empty, keeps the left.
  Scalar own_entry(int32_t entry) const {
    ScalarBuilder builder;
    const DType dtype = monoid_.state[static_cast<size_t>(entry)];
    std::vector<int32_t> sides;
    for (const Side side : {kLeft, kRight}) {
      for (int32_t part = 0; part < num_own_; ++part) {
        sides.push_back(own(builder, side, part));
      }
    }
    const int32_t merged =
        builder.inline_scalar(monoid_.combine[static_cast<size_t>(entry)], sides);
    const int32_t goes_on =
        both(builder, both(builder, at(builder, kLeft, kIsSome), at(builder, kRight, kIsOne)),
             meet(builder));
    const int32_t of_right =
        builder.call(id::kWhere, {goes_on, merged, own(builder, kRight, entry)}, dtype);
    return builder.finish(builder.call(
        id::kWhere, {at(builder, kRight, kIsSome), of_right, own(builder, kLeft, entry)}, dtype));
  }

  /// Returns the entry of one side, or of the other if that side is empty.
  Scalar either(Entry entry, Side side) const {
    ScalarBuilder builder;
    const Side other = side == kLeft ? kRight : kLeft;
    return builder.finish(builder.call(
        id::kWhere,
        {at(builder, side, kIsSome), at(builder, side, entry), at(builder, other, entry)},
        segment_));
  }

  Scalar is_one() const {
    ScalarBuilder builder;
    const int32_t are_both =
        both(builder, at(builder, kLeft, kIsSome), at(builder, kRight, kIsSome));
    const int32_t no_border = any(builder, negated(builder, are_both), meet(builder));
    return builder.finish(
        both(builder, both(builder, at(builder, kLeft, kIsOne), at(builder, kRight, kIsOne)),
             no_border));
  }

  Scalar is_some() const {
    ScalarBuilder builder;
    return builder.finish(any(builder, at(builder, kLeft, kIsSome), at(builder, kRight, kIsSome)));
  }

  const Monoid& monoid_;
  const DType segment_;
  const int32_t num_own_;
};

Scalar constant(Literal value, DType dtype) {
  ScalarBuilder builder;
  return builder.finish(builder.constant(value, dtype));
}

/// Returns the result before a position: that of the identity if the segment is another one.
Scalar result_before(const Scanned& scan, const Scalar& segment) {
  ScalarBuilder builder;
  std::vector<int32_t> before;
  std::vector<int32_t> nothing;
  for (size_t entry = 0; entry < scan.monoid.state.size(); ++entry) {
    const DType dtype = scan.monoid.state[entry];
    before.push_back(builder.parameter(static_cast<int32_t>(entry), dtype));
    nothing.push_back(builder.constant(scan.monoid.identity[entry], dtype));
  }
  const auto num_own = static_cast<int32_t>(before.size());
  const int32_t is_some = builder.parameter(num_own + kIsSome, DType::b1);
  const int32_t last = builder.parameter(num_own + kLast, segment.dtype());
  const int32_t here = builder.inline_scalar(segment, {});
  const int32_t goes_on = builder.call(
      id::kLogicalAnd, {is_some, builder.call(id::kEqual, {last, here}, DType::b1)}, DType::b1);
  return builder.finish(builder.call(id::kWhere,
                                     {goes_on, builder.inline_scalar(scan.result, before),
                                      builder.inline_scalar(scan.result, nothing)},
                                     scan.result.dtype()));
}

}  // namespace

Scanned segmented(const Scanned& scan, const Scalar& segment, bool is_exclusive) {
  Scanned made{Segmenting(scan.monoid, segment.dtype()).monoid(), scan.bodies, scan.result};
  made.bodies.insert(made.bodies.end(),
                     {segment, segment, constant(true, DType::b1), constant(true, DType::b1)});
  if (is_exclusive) {
    made.result = result_before(scan, segment);
  }
  return made;
}

}  // namespace tessera::expr
