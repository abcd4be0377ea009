#include "ir/tra/keys.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/overload.h"

namespace tessera::tra {

Keys::Keys(std::vector<KeyRange> ranges) : ranges_(std::move(ranges)) {
  const auto is_empty = [](const KeyRange& range) { return range.begin == range.end; };
  if (std::any_of(ranges_.begin(), ranges_.end(), is_empty)) {
    size_ = 0;  // another dimension may be longer than memory
    return;
  }
  int64_t num_keys = 1;
  for (const KeyRange& range : ranges_) {
    TESSERA_USER_CHECK(range.end - range.begin <= kMostTuples / num_keys,
                       "a relation would have more than {} tiles; cut into larger ones",
                       kMostTuples);
    num_keys *= range.end - range.begin;
  }
  size_ = static_cast<size_t>(num_keys);
}

Keys::Iterator::Iterator(const std::vector<KeyRange>& ranges, size_t number)
    : ranges_(&ranges), number_(number) {
  for (const KeyRange& range : ranges) {
    key_.push_back(range.begin);
  }
}

Keys::Iterator& Keys::Iterator::operator++() {
  ++number_;
  for (size_t dim = key_.size(); dim-- > 0;) {
    if (++key_[dim] < (*ranges_)[dim].end) {
      break;
    }
    key_[dim] = (*ranges_)[dim].begin;
  }
  return *this;
}

Keys all_keys(const std::vector<KeyDim>& dims) {
  std::vector<KeyRange> ranges;
  for (const KeyDim& dim : dims) {
    ranges.push_back({0, num_keys(dim)});
  }
  return Keys(std::move(ranges));
}

Key key_at(size_t number, const std::vector<KeyDim>& dims) {
  Key key(dims.size());
  auto rest = static_cast<int64_t>(number);
  for (size_t dim = dims.size(); dim-- > 0;) {
    key[dim] = rest % num_keys(dims[dim]);
    rest /= num_keys(dims[dim]);
  }
  return key;
}

std::vector<int64_t> sums_over_keys(const std::vector<std::vector<int64_t>>& added_by_dim) {
  std::vector<int64_t> sums = {0};
  for (const std::vector<int64_t>& added : added_by_dim) {
    std::vector<int64_t> longer;
    longer.reserve(sums.size() * added.size());
    for (const int64_t sum : sums) {
      for (const int64_t more : added) {
        longer.push_back(sum + more);
      }
    }
    sums = std::move(longer);
  }
  return sums;
}

bool is_key(const Key& key, const std::vector<KeyDim>& dims) {
  bool is_inside = key.size() == dims.size();
  for (size_t dim = 0; is_inside && dim < key.size(); ++dim) {
    is_inside = key[dim] >= 0 && key[dim] < num_keys(dims[dim]);
  }
  return is_inside;
}

size_t number_of(const Key& key, const std::vector<KeyDim>& dims) {
  int64_t number = 0;
  for (size_t dim = 0; dim < key.size(); ++dim) {
    number = number * num_keys(dims[dim]) + key[dim];
  }
  return static_cast<size_t>(number);
}

std::vector<bool> merged_keys(const std::vector<KeyDim>& key, const Scan& scan) {
  const auto along = static_cast<size_t>(find_key_dim(key, scan.along));
  const bool is_forward = scan.direction == expr::Scan::Direction::forward;
  const int64_t last = is_forward ? num_keys(key[along]) - 1 : 0;
  std::vector<bool> merged;
  for (const Key& one : all_keys(key)) {
    merged.push_back(one[along] != last);
  }
  return merged;
}

std::vector<KeyDim> key_without(std::vector<KeyDim> key, const std::string& label) {
  std::erase_if(key, [&](const KeyDim& dim) { return label_of(dim) == label; });
  return key;
}

Coarsening::Coarsening(const std::vector<KeyDim>& from, const std::vector<KeyDim>& to)
    : from_(from), to_(to) {
  for (const KeyDim& dim : to) {
    const auto source = static_cast<size_t>(find_key_dim(from, label_of(dim)));
    const ModeGrid* coarse = grid_of(dim);
    if (coarse == nullptr || !span_of(from[source], 0) || from[source] == dim) {
      dims_.push_back({source});
    } else {
      dims_.push_back({source, &from[source], coarse});
    }
  }
}

Key Coarsening::operator()(const Key& key) const {
  Key result;
  for (const Dim& dim : dims_) {
    result.push_back(coarser(dim, key[dim.source]));
  }
  return result;
}

std::vector<int64_t> Coarsening::numbers() const {
  std::vector<std::vector<int64_t>> added;
  for (const KeyDim& dim : from_) {
    added.emplace_back(static_cast<size_t>(num_keys(dim)), 0);
  }
  int64_t stride = 1;
  for (size_t dim = dims_.size(); dim-- > 0;) {
    std::vector<int64_t>& by_key = added[dims_[dim].source];
    for (size_t piece = 0; piece < by_key.size(); ++piece) {
      by_key[piece] += stride * coarser(dims_[dim], static_cast<int64_t>(piece));
    }
    stride *= num_keys(to_[dim]);
  }
  return sums_over_keys(added);
}

int64_t Coarsening::coarser(const Dim& dim, int64_t piece) {
  return dim.fine == nullptr ? piece : piece_at(*dim.coarse, span_of(*dim.fine, piece)->begin);
}

namespace {

/// Returns the pieces of `fine` that make up a piece or a window of `coarse`.
KeyRange pieces_of(const KeyDim& fine, const KeyDim& coarse, int64_t number) {
  const ModeGrid* pieces = grid_of(fine);
  const std::optional<PieceSpan> span = span_of(coarse, number);
  if (!span || pieces == nullptr || fine == coarse) {
    return {number, number + 1};
  }
  const int64_t last = span->begin + std::max<int64_t>(span->length, 1) - 1;
  return {piece_at(*pieces, span->begin), piece_at(*pieces, last) + 1};
}

}  // namespace

Keys parts_of(const Key& key, const std::vector<KeyDim>& to, const std::vector<KeyDim>& from) {
  std::vector<KeyRange> ranges;
  for (const KeyDim& dim : from) {
    const int place = find_key_dim(to, label_of(dim));
    ranges.push_back(place < 0 ? KeyRange{0, num_keys(dim)}
                               : pieces_of(dim, to[static_cast<size_t>(place)],
                                           key[static_cast<size_t>(place)]));
  }
  return Keys(std::move(ranges));
}

bool has_windows(const std::vector<KeyDim>& key) {
  return std::any_of(key.begin(), key.end(),
                     [](const KeyDim& dim) { return windows_of(dim) != nullptr; });
}

Key mapped_key(const std::vector<KeyDim>& from, const Key& key,
               const std::vector<KeyExpression>& expressions) {
  Key result;
  for (const KeyExpression& expression : expressions) {
    int64_t value = expression.offset;
    for (const KeyExpression::Term& term : expression.terms) {
      value += term.coefficient * key[static_cast<size_t>(find_key_dim(from, term.label))];
    }
    result.push_back(value);
  }
  return result;
}

std::vector<int64_t> mapped_numbers(const std::vector<KeyDim>& from,
                                    const std::vector<KeyExpression>& expressions,
                                    const std::vector<KeyDim>& to) {
  std::vector<std::vector<int64_t>> added = {{0}};  // the sum over no dimension
  for (const KeyDim& dim : from) {
    added.emplace_back(static_cast<size_t>(num_keys(dim)), 0);
  }
  int64_t stride = 1;
  for (size_t place = expressions.size(); place-- > 0;) {
    added[0][0] += stride * expressions[place].offset;
    for (const KeyExpression::Term& term : expressions[place].terms) {
      std::vector<int64_t>& by_key = added[static_cast<size_t>(find_key_dim(from, term.label)) + 1];
      for (size_t key = 0; key < by_key.size(); ++key) {
        by_key[key] += stride * term.coefficient * static_cast<int64_t>(key);
      }
    }
    stride *= num_keys(to[place]);
  }
  return sums_over_keys(added);
}

bool refines(const std::vector<KeyDim>& fine, const std::vector<KeyDim>& coarse) {
  const auto refines_grid =
      Overload{[](const DenseDim& small, const DenseDim& large) {
                 return tessera::refines(*small.grid, *large.grid);
               },
               [](const DenseDim& small, const WindowDim& large) {
                 return tessera::refines(*small.grid, *large.grid);
               },
               [](const WindowDim& small, const DenseDim& large) {
                 return tessera::refines(*small.grid, *large.grid);
               },
               [](const WindowDim& small, const WindowDim& large) { return small == large; },
               [](const BareDim& small, const BareDim& large) { return small == large; },
               [](const BareDim&, const Among<DenseDim, WindowDim> auto&) { return false; },
               [](const Among<DenseDim, WindowDim> auto&, const BareDim&) { return false; }};
  const auto refines_dim = [&](const KeyDim& one, const KeyDim& other) {
    return label_of(one) == label_of(other) && std::visit(refines_grid, one, other);
  };
  return fine.size() == coarse.size() &&
         std::equal(fine.begin(), fine.end(), coarse.begin(), refines_dim);
}

std::vector<KeyDim> common_refinement(const std::vector<KeyDim>& a, const std::vector<KeyDim>& b) {
  std::vector<KeyDim> key;
  for (size_t dim = 0; dim < a.size(); ++dim) {
    const ModeGrid* grid = grid_of(a[dim]);
    const auto refined = [&](const Among<DenseDim, WindowDim> auto& other) {
      return grid == nullptr
                 ? a[dim]
                 : KeyDim(DenseDim{other.label, tessera::common_refinement(*grid, *other.grid)});
    };
    key.push_back(std::visit(Overload{refined, [&](const BareDim&) { return a[dim]; }}, b[dim]));
  }
  return key;
}

std::string to_string(const Key& key, const std::vector<KeyDim>& dims) {
  std::string text;
  for (size_t dim = 0; dim < key.size(); ++dim) {
    text += fmt::format("{}{}={}", dim == 0 ? "" : ",", label_of(dims[dim]), key[dim]);
  }
  return "(" + text + ")";
}

}  // namespace tessera::tra
