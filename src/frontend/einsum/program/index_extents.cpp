#include "frontend/einsum/program/index_extents.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/overload.h"

namespace tessera::frontend {

namespace {

using Wide = __int128;  // wide enough for every sum of terms

/// A bound below which sums of terms stay within 64 bits.
constexpr Wide kMostPosition = Wide{1} << 61;

/// Calls visit(read, mode, index) for every computed index.
template <class Visit>
void for_each_computed(const ResolvedExpression& expression, Visit visit) {
  for (const ResolvedNode& node : expression.nodes) {
    const auto* read = std::get_if<ResolvedRead>(&node.of);
    for (size_t mode = 0; read != nullptr && mode < read->index.size(); ++mode) {
      if (const auto* index = std::get_if<ComputedIndex>(&read->index[mode])) {
        visit(*read, mode, *index);
      }
    }
  }
}

/// True if an index has no pad for positions outside.
bool is_bounded(const ComputedIndex& index) {
  return std::holds_alternative<expr::Inside>(index.outside);
}

/// Calls visit(read, mode, index) for every computed index that must stay in range.
template <class Visit>
void for_each_bounded(const ResolvedExpression& expression, Visit visit) {
  for_each_computed(expression,
                    [&](const ResolvedRead& read, size_t mode, const ComputedIndex& index) {
                      if (is_bounded(index)) {
                        visit(read, mode, index);
                      }
                    });
}

Wide floored(Wide a, Wide b) {
  const Wide quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/// The least and the greatest value of an index.
struct Ends {
  Wide lowest = 0;
  Wide highest = 0;
};

int64_t extent_in(const ResolvedExpression& expression, LabelIndex label) {
  return expression.labels[static_cast<size_t>(label)].extent.value_or(0);
}

/// Returns the ends of an index; nothing if a label has no position, so that nothing is read.
std::optional<Ends> ends_of(const ComputedIndex& index, const ResolvedExpression& expression) {
  Ends ends{index.position.offset, index.position.offset};
  for (const IndexTerm& size : index.position.sizes) {
    ends.lowest += Wide{size.coefficient} * extent_in(expression, size.label);
  }
  ends.highest = ends.lowest;
  for (const IndexTerm& term : index.position.labels) {
    const int64_t extent = extent_in(expression, term.label);
    if (extent == 0) {
      return std::nullopt;
    }
    const Wide last = Wide{term.coefficient} * (extent - 1);
    ends.lowest += std::min<Wide>(last, 0);
    ends.highest += std::max<Wide>(last, 0);
  }
  return ends;
}

/// Returns the positions of the labels at which an index has its least or its greatest value.
std::vector<std::pair<LabelIndex, int64_t>> where(const ComputedIndex& index, bool is_least,
                                                  const ResolvedExpression& expression) {
  std::vector<std::pair<LabelIndex, int64_t>> positions;
  for (const IndexTerm& term : index.position.labels) {
    const bool is_last = (term.coefficient < 0) == is_least;
    positions.emplace_back(term.label, is_last ? extent_in(expression, term.label) - 1 : 0);
  }
  return positions;
}

class Extents {
 public:
  explicit Extents(ResolvedExpression& expression) : expression_(expression) {}

  /// Gives labels that are kept their known extents: a statement of one part of a keep may allow
  /// more positions than all its parts together, or give no extent.
  void take_kept() {
    for (StatementLabel& label : expression_.labels) {
      if (label.kept && !label.is_fixed && label.extent.value_or(*label.kept) >= *label.kept) {
        label.extent = label.kept;
      }
    }
  }

  /// Gives extents to labels that have none, one index after the other.
  void find_missing() {
    for (bool is_found = true; is_found;) {
      std::map<LabelIndex, int64_t> found;
      for_each_bounded(
          expression_, [&](const ResolvedRead& read, size_t mode, const ComputedIndex& index) {
            const std::optional<LabelIndex> label = only_missing(index);
            const auto most = label ? most_positions(index, *label, read.type.shape[mode])
                                    : std::optional<int64_t>();
            if (most) {
              const auto [entry, is_new] = found.emplace(*label, *most);
              entry->second = std::min(entry->second, *most);
            }
          });
      for (const LeftMode& mode : expression_.left) {
        find_missing(mode, found);
      }
      for (const auto& [label, extent] : found) {
        at(label).extent = extent;
      }
      is_found = join_parts() || !found.empty();
    }
  }

  /// Shortens labels of the left side with which computed indices are out of range.
  void shorten() {
    for_each_bounded(expression_,
                     [&](const ResolvedRead& read, size_t mode, const ComputedIndex& index) {
                       for (const IndexTerm& term : index.position.labels) {
                         shorten(term.label, index, read.type.shape[mode]);
                       }
                     });
    read_first_positions();
  }

 private:
  /// Gives labels that concat joins along the joined length. True if there was one.
  bool join_parts() {
    bool is_found = false;
    for (const ResolvedNode& node : expression_.nodes) {
      const ResolvedConcat* concat = concat_at(node);
      const auto length = concat ? length_of(*concat, expression_) : std::optional<int64_t>();
      if (length && !at(concat->along).extent) {
        StatementLabel& label = at(concat->along);
        label.extent = length;
        label.is_fixed = true;
        label.span = node.span;
        label.origin = "what concat joins";
        is_found = true;
      }
    }
    return is_found;
  }

  StatementLabel& at(LabelIndex label) { return expression_.labels[static_cast<size_t>(label)]; }

  /// Gives a label as many positions as a written mode has places.
  void find_missing(const LeftMode& mode, std::map<LabelIndex, int64_t>& found) {
    const ComputedIndex index{mode.place, expr::Inside{}, {}};
    const std::optional<LabelIndex> label = mode.extent ? only_missing(index) : std::nullopt;
    const auto most =
        label ? most_positions(index, *label, *mode.extent) : std::optional<int64_t>();
    if (most) {
      found.emplace(*label, *most);
    }
  }

  /// Returns the one label without extent among the labels and extents of an index.
  std::optional<LabelIndex> only_missing(const ComputedIndex& index) {
    std::optional<LabelIndex> missing;
    for (const auto* terms : {&index.position.labels, &index.position.sizes}) {
      for (const IndexTerm& term : *terms) {
        if (!at(term.label).extent) {
          if (missing && *missing != term.label) {
            return std::nullopt;
          }
          missing = term.label;
        }
      }
    }
    return missing;
  }

  /// Returns the ends of the sum of the terms without this label.
  Ends ends_without(const ComputedIndex& index, LabelIndex label) {
    Ends ends{index.position.offset, index.position.offset};
    for (const IndexTerm& size : index.position.sizes) {
      const Wide added = size.label == label ? 0 : Wide{size.coefficient} * *at(size.label).extent;
      ends.lowest += added;
      ends.highest += added;
    }
    for (const IndexTerm& term : index.position.labels) {
      if (term.label != label) {
        const Wide last = Wide{term.coefficient} * std::max<int64_t>(*at(term.label).extent - 1, 0);
        ends.lowest += std::min<Wide>(last, 0);
        ends.highest += std::max<Wide>(last, 0);
      }
    }
    return ends;
  }

  /// Returns the most positions that a label may have for an index to stay in a mode of this
  /// extent; nothing if the index does not bound it. With L positions of the label the index ends
  /// at
  ///    highest + size * L + max(coefficient, 0) * (L - 1),
  /// and begins likewise.
  std::optional<int64_t> most_positions(const ComputedIndex& index, LabelIndex label,
                                        int64_t extent) {
    const auto coefficient_in = [&](const std::vector<IndexTerm>& terms) {
      const auto own = std::find_if(terms.begin(), terms.end(),
                                    [&](const IndexTerm& term) { return term.label == label; });
      return own == terms.end() ? Wide{0} : Wide{own->coefficient};
    };
    const Wide size = coefficient_in(index.position.sizes);
    const Wide up = std::max<Wide>(coefficient_in(index.position.labels), 0);
    const Wide down = std::min<Wide>(coefficient_in(index.position.labels), 0);
    const Ends ends = ends_without(index, label);
    std::optional<Wide> most;
    if (size + up > 0) {
      most = floored(extent - 1 - ends.highest + up, size + up);
    }
    if (size + down < 0) {
      const Wide by_lowest = floored(ends.lowest - down, -(size + down));
      most = most ? std::min(*most, by_lowest) : by_lowest;
    }
    constexpr Wide kMost = INT64_MAX;
    return most ? std::optional(static_cast<int64_t>(std::clamp<Wide>(*most, 0, kMost)))
                : std::nullopt;
  }

  void shorten(LabelIndex number, const ComputedIndex& index, int64_t extent) {
    StatementLabel& label = at(number);
    const bool may_be = label.extent && !label.is_fixed && !label.is_bound && !label.is_of_macro;
    if (!may_be || only_missing(index)) {
      return;
    }
    const std::optional<int64_t> most = most_positions(index, number, extent);
    // An index that no extent helps is reported as it is.
    if (most && *most > 0 && *most < *label.extent) {
      label.extent = *most;
    }
  }

  /// Makes a label alone a computed index if it has fewer positions than its mode: a label alone
  /// would read all of them.
  void read_first_positions() {
    for (ResolvedNode& node : expression_.nodes) {
      auto* read = std::get_if<ResolvedRead>(&node.of);
      for (size_t mode = 0; read != nullptr && mode < read->index.size(); ++mode) {
        const auto* label = std::get_if<LabelIndex>(&read->index[mode]);
        if (label != nullptr && at(*label).extent && *at(*label).extent < read->type.shape[mode]) {
          read->index[mode] =
              ComputedIndex{LinearForm{{{*label, 1}}, {}, 0}, expr::Inside{}, node.span};
        }
      }
    }
  }

  ResolvedExpression& expression_;
};

}  // namespace

std::optional<int64_t> length_of(const ResolvedConcat& concat,
                                 const ResolvedExpression& expression) {
  int64_t length = 0;
  for (const ResolvedConcat::Part& part : concat.parts) {
    const std::optional<int64_t>& extent =
        expression.labels[static_cast<size_t>(part.along)].extent;
    if (!extent) {
      return std::nullopt;
    }
    length = static_cast<int64_t>(std::min<Wide>(Wide{length} + *extent, kMostConcat));
  }
  return length;
}

void give_largest_extents(ResolvedExpression& expression) {
  Extents extents(expression);
  extents.take_kept();
  extents.find_missing();
  extents.shorten();
}

std::vector<UnsoundIndex> unsound_indices(const ResolvedExpression& expression) {
  std::vector<UnsoundIndex> found;
  for_each_computed(expression, [&](const ResolvedRead& read, size_t mode,
                                    const ComputedIndex& index) {
    const std::optional<Ends> ends = ends_of(index, expression);
    if (!ends) {
      return;
    }
    const int64_t extent = read.type.shape[mode];
    const bool is_below = ends->lowest < 0;
    const bool is_outside = is_below || ends->highest >= extent;
    const bool repeats =
        std::visit(Overload{[](const Among<expr::Inside, expr::Pad> auto&) { return false; },
                            [](const Among<expr::Edge, expr::Reflect> auto&) { return true; }},
                   index.outside);
    UnsoundIndex unsound{UnsoundIndex::Fault::out_of_range, read.tensor, extent, 0, {}, index.span};
    if (ends->lowest < -kMostPosition || ends->highest > kMostPosition) {
      unsound.fault = UnsoundIndex::Fault::too_large;
    } else if (repeats && extent == 0) {
      unsound.fault = UnsoundIndex::Fault::no_element;
    } else if (is_bounded(index) && is_outside) {
      unsound.position = static_cast<int64_t>(is_below ? ends->lowest : ends->highest);
      unsound.labels = where(index, is_below, expression);
    } else {
      return;
    }
    found.push_back(std::move(unsound));
  });
  return found;
}

}  // namespace tessera::frontend
