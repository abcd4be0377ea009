#include "expr/index.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::expr {

namespace {

/// A bound on terms under which no sum over a label table overflows 128 bits.
constexpr __int128 kHuge = static_cast<__int128>(1) << 96;

__int128 product(__int128 a, __int128 b) {
  return std::clamp(a * b, -kHuge, kHuge);
}

/// Mirrors the position at the first and the last element until it is one of them.
int64_t reflected(int64_t position, int64_t extent) {
  if (extent == 1) {
    return 0;
  }
  const int64_t period = 2 * (extent - 1);
  const int64_t within = ((position % period) + period) % period;
  return within < extent ? within : period - within;
}

}  // namespace

Index plain(LabelNumber label) {
  return PlainIndex{label};
}

Index fixed(int64_t position) {
  return FixedIndex{position};
}

Index affine(AffineIndex index) {
  const bool is_bare = index.divisor == 1 && std::holds_alternative<Inside>(index.outside);
  if (is_bare && index.terms.empty()) {
    return fixed(index.offset);
  }
  if (is_bare && index.terms.size() == 1 && index.terms[0].coefficient == 1 && index.offset == 0) {
    return plain(index.terms[0].label);
  }
  return index;
}

bool is_plain(const Index& index) {
  return plain_label(index).has_value();
}

bool is_plain_or_fixed(const Index& index) {
  return std::visit(
      Overload{[](const PlainIndex&) { return true; }, [](const FixedIndex&) { return true; },
               [](const AffineIndex&) { return false; },
               [](const GatheredIndex&) { return false; }},
      index);
}

bool is_linear(const Index& index) {
  return std::visit(
      Overload{[](const PlainIndex&) { return true; }, [](const FixedIndex&) { return true; },
               [](const AffineIndex& affine) {
                 return affine.divisor == 1 && std::holds_alternative<Inside>(affine.outside);
               },
               [](const GatheredIndex&) { return false; }},
      index);
}

std::optional<LabelNumber> plain_label(const Index& index) {
  using Label = std::optional<LabelNumber>;
  return std::visit(Overload{[](const PlainIndex& plain) { return Label(plain.label); },
                             [](const FixedIndex&) { return Label(); },
                             [](const AffineIndex&) { return Label(); },
                             [](const GatheredIndex&) { return Label(); }},
                    index);
}

const Boundary& boundary_of(const Index& index) {
  static const Boundary inside = Inside{};
  return std::visit(
      Overload{[](const PlainIndex&) -> const Boundary& { return inside; },
               [](const FixedIndex&) -> const Boundary& { return inside; },
               [](const AffineIndex& affine) -> const Boundary& { return affine.outside; },
               [](const GatheredIndex& gathered) -> const Boundary& { return gathered.outside; }},
      index);
}

bool mentions(const Index& index, LabelNumber label) {
  bool found = false;
  for_each_label(index, [&](LabelNumber own) { found = found || own == label; });
  return found;
}

Index relabelled(Index index, std::span<const LabelNumber> to) {
  for_each_label(index, [&](LabelNumber& label) { label = to[static_cast<size_t>(label)]; });
  return index;
}

int64_t offset_of(const Index& index) noexcept {
  return std::visit(Overload{[](const PlainIndex&) { return int64_t{0}; },
                             [](const FixedIndex& fixed) { return fixed.position; },
                             [](const AffineIndex& affine) { return affine.offset; },
                             [](const GatheredIndex&) { return int64_t{0}; }},
                    index);
}

int64_t coefficient_of(const Index& index, LabelNumber label) noexcept {
  int64_t sum = 0;
  for_each_term(
      index, [&](LabelNumber own, int64_t coefficient) { sum += own == label ? coefficient : 0; });
  return sum;
}

std::optional<int64_t> position_of(const Index& index, std::span<const int64_t> labels,
                                   int64_t gathered) noexcept {
  using Position = std::optional<int64_t>;
  return std::visit(Overload{[&](const PlainIndex& plain) {
                               return Position(labels[static_cast<size_t>(plain.label)]);
                             },
                             [](const FixedIndex& fixed) { return Position(fixed.position); },
                             [&](const AffineIndex& affine) {
                               int64_t sum = affine.offset;
                               for (const AffineIndex::Term& term : affine.terms) {
                                 sum += term.coefficient * labels[static_cast<size_t>(term.label)];
                               }
                               return sum % affine.divisor == 0 ? Position(sum / affine.divisor)
                                                                : Position();
                             },
                             [&](const GatheredIndex&) { return Position(gathered); }},
                    index);
}

std::optional<int64_t> bounded(int64_t position, int64_t extent, const Boundary& outside) noexcept {
  using Position = std::optional<int64_t>;
  if (position >= 0 && position < extent) {
    return position;
  }
  if (extent == 0) {
    return std::nullopt;
  }
  return std::visit(
      Overload{[](const Inside&) { return Position(); }, [](const Pad&) { return Position(); },
               [&](const Edge&) { return Position(std::clamp<int64_t>(position, 0, extent - 1)); },
               [&](const Reflect&) { return Position(reflected(position, extent)); }},
      outside);
}

namespace {

/// Extends a reach by the elements that stand for those outside.
Reach mirrored(const Reach& reach, int64_t extent) {
  const __int128 last = extent - 1;
  if (reach.lowest < -last || reach.highest > 2 * last) {
    return {0, last};  // mirrored more than once
  }
  Reach inside = reach;
  if (reach.lowest < 0) {
    inside = {0, std::max(inside.highest, -reach.lowest)};
  }
  if (reach.highest > last) {
    inside = {std::min(inside.lowest, 2 * last - reach.highest), last};
  }
  return inside;
}

}  // namespace

std::optional<LabelRange> positions_read(const Index& index, std::span<const LabelRange> ranges,
                                         int64_t extent) {
  const std::optional<Reach> reach = reach_of(index, ranges);
  if (!reach || extent == 0) {
    return reach ? std::optional(LabelRange{0, 0}) : std::nullopt;
  }
  const bool is_mirrored = std::holds_alternative<Reflect>(boundary_of(index));
  const Reach inside = is_mirrored ? mirrored(*reach, extent) : *reach;
  const auto clamped = [&](__int128 position) {
    return static_cast<int64_t>(std::clamp<__int128>(position, 0, extent - 1));
  };
  const int64_t begin = clamped(inside.lowest);
  return LabelRange{begin, clamped(inside.highest) + 1 - begin};
}

std::optional<Reach> reach_of(const Index& index, std::span<const LabelRange> ranges) {
  using Found = std::optional<Reach>;
  const auto range_of = [&](LabelNumber label) { return ranges[static_cast<size_t>(label)]; };
  return std::visit(
      Overload{[&](const PlainIndex& plain) {
                 const LabelRange range = range_of(plain.label);
                 return Found({range.begin, __int128{range.begin} + range.length - 1});
               },
               [](const FixedIndex& fixed) {
                 return Found({fixed.position, fixed.position});
               },
               [&](const AffineIndex& affine) {
                 Reach reach{affine.offset, affine.offset};
                 for (const AffineIndex::Term& term : affine.terms) {
                   const LabelRange range = range_of(term.label);
                   const __int128 first = product(term.coefficient, range.begin);
                   const __int128 last = first + product(term.coefficient, range.length - 1);
                   reach.lowest += std::min(first, last);
                   reach.highest += std::max(first, last);
                 }
                 return Found({reach.lowest / affine.divisor, reach.highest / affine.divisor});
               },
               [](const GatheredIndex&) { return Found(); }},
      index);
}

void Window::add(int64_t coefficient, int64_t length) noexcept {
  const __int128 step = coefficient < 0 ? -__int128{coefficient} : __int128{coefficient};
  reach_ = length == 0 ? 0 : std::min(kHuge, reach_ + product(step, length - 1));
  values_ = product(values_, length);
}

int64_t Window::num_positions() const noexcept {
  constexpr __int128 kMost = int64_t{1} << 62;
  const __int128 reach = (reach_ + divisor_ - 1) / divisor_;
  return static_cast<int64_t>(std::min({reach, values_, kMost}));
}

}  // namespace tessera::expr
