#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/overload.h"
#include "types/literal.h"

/// How one mode of an operand is read, and every walk through it: nothing else takes an index
/// apart. A new kind of index is a member of the variant, and the compiler names the walks.
namespace tessera::expr {

/// A label of the statement that the expression stands in: a position in its label table.
using LabelNumber = int32_t;

/// The part of a label that one call runs over, in the whole tensor: [begin, begin + length).
struct LabelRange {
  int64_t begin = 0;
  int64_t length = 0;
  friend bool operator==(const LabelRange&, const LabelRange&) = default;
};

// ---- What a position outside of the mode means.

/// There is none: verify proves it, or the run faults where the position is data.
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
/// A sum that the divisor does not divide is outside, so a divisor other than 1 has a Pad. What a
/// PlainIndex or a FixedIndex says is never an AffineIndex: affine() makes the right one.
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

/// The value of an earlier node of the expression, an integer: mostly an access of a table, as in
/// X[T[i], j]. A value outside of the mode is a fault of the data, unless the boundary says else.
struct GatheredIndex {
  int32_t node = 0;
  Boundary outside = Inside{};
  friend bool operator==(const GatheredIndex&, const GatheredIndex&) = default;
};

using Index = std::variant<PlainIndex, FixedIndex, AffineIndex, GatheredIndex>;

Index plain(LabelNumber label);
Index fixed(int64_t position);
/// The index that says this: plain or fixed where it is one of these.
Index affine(AffineIndex index);

// ---- What kind an index is.

bool is_plain(const Index& index);
bool is_plain_or_fixed(const Index& index);
/// Whether the position is offset + sum(coefficient * label) and never outside: plain, fixed, or
/// affine without divisor and boundary.
bool is_linear(const Index& index);
/// The label of a plain index; nothing for any other.
std::optional<LabelNumber> plain_label(const Index& index);
/// The boundary of an index; Inside where it has none of its own.
const Boundary& boundary_of(const Index& index);

// ---- Its labels. A gathered index has none of its own: they are those of its node.

/// Calls visit(label) for every label, in the order they are written, as often as they are written.
/// Of an index that is not const, visit may change the label.
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

/// Calls visit(node) for the node that a gathered index reads. Of an index that is not const, visit
/// may change the node.
template <SameBut<Index> AnyIndex, class Visit>
void for_each_node(AnyIndex& index, Visit visit) {
  std::visit(Overload{[](SameBut<PlainIndex> auto&) {}, [](SameBut<FixedIndex> auto&) {},
                      [](SameBut<AffineIndex> auto&) {},
                      [&](SameBut<GatheredIndex> auto& gathered) { visit(gathered.node); }},
             index);
}

/// The index with every label replaced by `to[label]`.
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
/// The position where every label is 0.
int64_t offset_of(const Index& index) noexcept;
/// By how much the position grows with a label; 0 where the index does not have it.
int64_t coefficient_of(const Index& index, LabelNumber label) noexcept;

// ---- Positions.

/// The position for these values of the labels, before its boundary; nothing where the divisor does
/// not divide. A gathered index takes its position from `gathered`.
std::optional<int64_t> position_of(const Index& index, std::span<const int64_t> labels,
                                   int64_t gathered) noexcept;

/// The element that a position names in a mode of this extent; nothing where it names none.
std::optional<int64_t> bounded(int64_t position, int64_t extent, const Boundary& outside) noexcept;

/// Counts the positions of an affine index, term by term.
class Window {
 public:
  explicit Window(int64_t divisor) : divisor_(divisor) {}
  void add(int64_t coefficient, int64_t length) noexcept;
  /// Those between the lowest and the highest, at most one for every value of the labels.
  int64_t num_positions() const noexcept;

 private:
  int64_t divisor_;
  __int128 reach_ = 1;
  __int128 values_ = 1;
};

/// Positions from the lowest to the highest, in more bits than a sum of terms can need.
struct Reach {
  __int128 lowest;
  __int128 highest;
};

/// The positions that an index takes over these ranges of the labels, before its boundary; nothing
/// where they are data. REQUIRES that no range is empty.
std::optional<Reach> reach_of(const Index& index, std::span<const LabelRange> ranges);

/// The elements of a mode of this extent that an index reads over these ranges of the labels, from
/// the first to the last: where a boundary says what lies outside, its elements too. At least one,
/// where the mode has any. Nothing where positions are data. REQUIRES that no range is empty.
std::optional<LabelRange> positions_read(const Index& index, std::span<const LabelRange> ranges,
                                         int64_t extent);

/// How an index moves along one of its labels: by `step` for every `divisor` positions.
struct Slide {
  LabelNumber label = 0;
  int64_t step = 1;
  int64_t divisor = 1;
  friend bool operator==(const Slide&, const Slide&) = default;
};

/// The label along which an index moves farthest, where label l has extent_of(l) positions: pieces
/// of that one read the least in common. Nothing where no label moves it, or positions are data.
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

/// How many elements of its mode an index reads where label l has length_of(l) positions: a window
/// of 3 over 5 positions reads 7, not 5 or 15. Of a gathered index 1, as its positions are data.
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
