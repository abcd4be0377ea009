#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/overload.h"
#include "types/literal.h"

/// The index of one mode of an operand, and every walk over it: no other code takes an index apart.
/// A new kind of index is a member of the variant, and the compiler names the walks.
namespace tessera::expr {

/// A label of the statement that the expression stands in: a position in its label table.
using LabelNumber = int32_t;

/// The part of a label that one call runs over, in the whole tensor: [begin, begin + length).
struct LabelRange {
  int64_t begin = 0;
  int64_t length = 0;
  friend bool operator==(const LabelRange&, const LabelRange&) = default;
};

// ---- The meaning of a position outside of the mode.

/// There is no such position: verify proves it, or the run faults if the position is data.
struct Inside {
  friend bool operator==(const Inside&, const Inside&) = default;
};
/// The access has this value, converted to the operand's dtype. Values are equal to the last bit.
struct Pad {
  Literal value;
  friend bool operator==(const Pad& a, const Pad& b) { return same_bits(a.value, b.value); }
};
/// The nearest element of the mode.
struct Edge {
  friend bool operator==(const Edge&, const Edge&) = default;
};
/// The mode mirrored at its first and at its last element, neither of which is repeated.
struct Reflect {
  friend bool operator==(const Reflect&, const Reflect&) = default;
};
using Boundary = std::variant<Inside, Pad, Edge, Reflect>;

// ---- The kinds of index.

/// The position of a label. Two modes with the same label are a diagonal.
struct PlainIndex {
  LabelNumber label = 0;
  friend bool operator==(const PlainIndex&, const PlainIndex&) = default;
};

/// One position: 0 reads the only element of a mode of extent 1 that is broadcast.
struct FixedIndex {
  int64_t position = 0;
  friend bool operator==(const FixedIndex&, const FixedIndex&) = default;
};

/// (offset + sum(coefficient * label)) / divisor: a window, a stride or the adjoint of a stride.
///
/// A sum that the divisor does not divide is outside, so a divisor other than 1 has a Pad. An
/// AffineIndex is never equivalent to a PlainIndex or a FixedIndex: affine() makes the right one.
struct AffineIndex {
  struct Term {
    LabelNumber label = 0;
    int64_t coefficient = 1;
    friend bool operator==(const Term&, const Term&) = default;
  };
  std::vector<Term> terms;
  int64_t offset = 0;
  int64_t divisor = 1;
  Boundary outside = Inside{};
  friend bool operator==(const AffineIndex&, const AffineIndex&) = default;
};

/// The value of an earlier node of the expression, an integer: mostly an access of a table, like in
/// X[T[i], j]. A value outside of the mode is a fault of the data, unless the boundary defines it.
struct GatheredIndex {
  int32_t node = 0;
  Boundary outside = Inside{};
  friend bool operator==(const GatheredIndex&, const GatheredIndex&) = default;
};

using Index = std::variant<PlainIndex, FixedIndex, AffineIndex, GatheredIndex>;

Index plain(LabelNumber label);
Index fixed(int64_t position);
/// Returns the index in its simplest form: plain or fixed if it is one of these.
Index affine(AffineIndex index);

// ---- The kind of an index.

bool is_plain(const Index& index);
bool is_plain_or_fixed(const Index& index);
/// True if the position is offset + sum(coefficient * label) and never outside: plain, fixed, or
/// affine without divisor and boundary.
bool is_linear(const Index& index);
/// Returns the label of a plain index; nothing for any other.
std::optional<LabelNumber> plain_label(const Index& index);
/// Returns the boundary of an index; Inside if it has none of its own.
const Boundary& boundary_of(const Index& index);

// ---- Its labels. A gathered index has none of its own: they are those of its node.

/// Calls visit(label) for every label, in written order, as often as it is written. If the index is
/// not const, visit may change the label.
template <SameBut<Index> AnyIndex, class Visit>
void for_each_label(AnyIndex& index, Visit visit) {
  std::visit(Overload{[&](SameBut<PlainIndex> auto& plain) { visit(plain.label); },
                      [](SameBut<FixedIndex> auto&) {},
                      [&](SameBut<AffineIndex> auto& affine) {
                        for (auto& term : affine.terms) {
                          visit(term.label);
                        }
                      },
                      [](SameBut<GatheredIndex> auto&) {}},
             index);
}

bool mentions(const Index& index, LabelNumber label);

/// Calls visit(node) for the node that a gathered index reads. If the index is not const, visit may
/// change the node.
template <SameBut<Index> AnyIndex, class Visit>
void for_each_node(AnyIndex& index, Visit visit) {
  std::visit(Overload{[](SameBut<PlainIndex> auto&) {}, [](SameBut<FixedIndex> auto&) {},
                      [](SameBut<AffineIndex> auto&) {},
                      [&](SameBut<GatheredIndex> auto& gathered) { visit(gathered.node); }},
             index);
}

/// Returns the index with every label replaced by `to[label]`.
Index relabelled(Index index, std::span<const LabelNumber> to);

// ---- Linear indices: REQUIRES is_linear(index) of each.

/// Calls visit(label, coefficient) for every term.
template <class Visit>
void for_each_term(const Index& index, Visit visit) {
  std::visit(Overload{[&](const PlainIndex& plain) { visit(plain.label, int64_t{1}); },
                      [](const FixedIndex&) {},
                      [&](const AffineIndex& affine) {
                        for (const AffineIndex::Term& term : affine.terms) {
                          visit(term.label, term.coefficient);
                        }
                      },
                      [](const GatheredIndex&) {}},
             index);
}
/// Returns the position where every label is 0.
int64_t offset_of(const Index& index) noexcept;
/// Returns the growth of the position with a label; 0 if the index lacks it.
int64_t coefficient_of(const Index& index, LabelNumber label) noexcept;

// ---- Positions.

/// Returns the position for these values of the labels, before its boundary; nothing if the divisor
/// does not divide. A gathered index takes its position from `gathered`.
std::optional<int64_t> position_of(const Index& index, std::span<const int64_t> labels,
                                   int64_t gathered) noexcept;

/// Returns the element that a position names in a mode of this extent; nothing if it names none.
std::optional<int64_t> bounded(int64_t position, int64_t extent, const Boundary& outside) noexcept;

/// A count of the positions of an affine index, term by term.
class Window {
 public:
  explicit Window(int64_t divisor) : divisor_(divisor) {}
  void add(int64_t coefficient, int64_t length) noexcept;
  /// Returns the number of positions from the lowest to the highest, at most one for every value of
  /// the labels.
  int64_t num_positions() const noexcept;

 private:
  int64_t divisor_;
  __int128 reach_ = 1;
  __int128 values_ = 1;
};

/// A range of positions from the lowest to the highest, in more bits than a sum of terms can need.
struct Reach {
  __int128 lowest;
  __int128 highest;
};

/// Returns the positions that an index takes over these ranges of the labels, before its boundary;
/// nothing if they are data. REQUIRES that no range is empty.
std::optional<Reach> reach_of(const Index& index, std::span<const LabelRange> ranges);

/// Returns the elements of a mode of this extent that an index reads over these ranges of the
/// labels, from the first to the last, including those that a boundary reads. At least one, if the
/// mode has any. Nothing if positions are data. REQUIRES that no range is empty.
std::optional<LabelRange> positions_read(const Index& index, std::span<const LabelRange> ranges,
                                         int64_t extent);

/// The movement of an index along one of its labels: by `step` for every `divisor` positions.
struct Slide {
  LabelNumber label = 0;
  int64_t step = 1;
  int64_t divisor = 1;
  friend bool operator==(const Slide&, const Slide&) = default;
};

/// Returns the label along which an index moves farthest, if label l has extent_of(l) positions:
/// its pieces have the least in common. Nothing if no label moves it, or positions are data.
template <class ExtentOf>
std::optional<Slide> slide_of(const Index& index, ExtentOf extent_of) {
  using Found = std::optional<Slide>;
  return std::visit(Overload{[](const PlainIndex& plain) {
                               return Found({plain.label, 1, 1});
                             },
                             [](const FixedIndex&) { return Found(); },
                             [&](const AffineIndex& affine) {
                               Found farthest;
                               double most = 0;
                               for (const AffineIndex::Term& term : affine.terms) {
                                 const double reach =
                                     std::abs(static_cast<double>(term.coefficient)) *
                                     static_cast<double>(extent_of(term.label));
                                 if (reach > most) {
                                   most = reach;
                                   farthest = {term.label, term.coefficient, affine.divisor};
                                 }
                               }
                               return farthest;
                             },
                             [](const GatheredIndex&) { return Found(); }},
                    index);
}

/// Counts the elements of its mode that an index reads if label l has length_of(l) positions: a
/// window of 3 over 5 positions reads 7, not 5 or 15. 1 for a gathered index, whose positions are
/// data.
template <class LengthOf>
int64_t num_read(const Index& index, LengthOf length_of) {
  return std::visit(
      Overload{[&](const PlainIndex& plain) -> int64_t { return length_of(plain.label); },
               [](const FixedIndex&) { return int64_t{1}; },
               [&](const AffineIndex& affine) {
                 Window window(affine.divisor);
                 for (const AffineIndex::Term& term : affine.terms) {
                   window.add(term.coefficient, length_of(term.label));
                 }
                 return window.num_positions();
               },
               [](const GatheredIndex&) { return int64_t{1}; }},
      index);
}

}  // namespace tessera::expr
