#include "ir/tra/keys.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"

namespace tessera::tra {

std::vector<Key> keys_within(const std::vector<KeyRange>& ranges) {
  int64_t num_keys = 1;
  for (const KeyRange& range : ranges) {
    if (range.begin == range.end) {
      return {};  // another dimension may be longer than memory
    }
  }
  for (const KeyRange& range : ranges) {
    TESSERA_USER_CHECK(range.end - range.begin <= kMostTuples / num_keys,
                       "a relation would have more than {} tiles; cut into larger ones",
                       kMostTuples);
    num_keys *= range.end - range.begin;
  }
  std::vector<Key> keys;
  keys.reserve(static_cast<size_t>(num_keys));
  Key key;
  for (const KeyRange& range : ranges) {
    key.push_back(range.begin);
  }
  for (int64_t number = 0; number < num_keys; ++number) {
    keys.push_back(key);
    for (size_t dim = key.size(); dim-- > 0;) {
      if (++key[dim] < ranges[dim].end) {
        break;
      }
      key[dim] = ranges[dim].begin;
    }
  }
  return keys;
}

std::vector<Key> all_keys(const std::vector<KeyDim>& dims) {
  std::vector<KeyRange> ranges;
  for (const KeyDim& dim : dims) {
    ranges.push_back({0, num_keys(dim)});
  }
  return keys_within(ranges);
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

Coarsening::Coarsening(const std::vector<KeyDim>& from, const std::vector<KeyDim>& to) {
  for (const KeyDim& dim : to) {
    const auto source = static_cast<size_t>(find_key_dim(from, label_of(dim)));
    const ModeGrid* coarse = grid_of(dim);
    const ModeGrid* fine = grid_of(from[source]);
    if (coarse == nullptr || fine == nullptr || from[source] == dim) {
      dims_.push_back({source});
    } else {
      dims_.push_back({source, fine, coarse});
    }
  }
}

Key Coarsening::operator()(const Key& key) const {
  Key result;
  for (const Dim& dim : dims_) {
    const int64_t piece = key[dim.source];
    result.push_back(dim.fine == nullptr ? piece : piece_at(*dim.coarse, dim.fine->begin(piece)));
  }
  return result;
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

bool refines(const std::vector<KeyDim>& fine, const std::vector<KeyDim>& coarse) {
  const auto refines_dim = [](const KeyDim& one, const KeyDim& other) {
    const ModeGrid* small = grid_of(one);
    const ModeGrid* large = grid_of(other);
    return small == nullptr || large == nullptr
               ? one == other
               : label_of(one) == label_of(other) && tessera::refines(*small, *large);
  };
  return fine.size() == coarse.size() &&
         std::equal(fine.begin(), fine.end(), coarse.begin(), refines_dim);
}

std::vector<KeyDim> common_refinement(const std::vector<KeyDim>& a, const std::vector<KeyDim>& b) {
  std::vector<KeyDim> key;
  for (size_t dim = 0; dim < a.size(); ++dim) {
    const ModeGrid* one = grid_of(a[dim]);
    const ModeGrid* other = grid_of(b[dim]);
    key.push_back(one == nullptr || other == nullptr
                      ? a[dim]
                      : DenseDim{label_of(a[dim]), tessera::common_refinement(*one, *other)});
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
