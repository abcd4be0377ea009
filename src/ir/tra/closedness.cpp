#include "ir/tra/closedness.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "ir/tra/key_interval.h"
#include "ir/tra/keys.h"

namespace tessera::tra {

namespace {

using Problem = std::optional<std::string>;

Problem collision(const Key& one, const Key& other, const std::vector<KeyDim>& from,
                  const Key& both_get, const std::vector<KeyDim>& to) {
  return fmt::format("rekey: the tuples {} and {} both get the key {}", to_string(one, from),
                     to_string(other, from), to_string(both_get, to));
}

Problem gap(const Key& key, const std::vector<KeyDim>& to) {
  return fmt::format("rekey: no tuple gets the key {}, so the keys have a gap", to_string(key, to));
}

/// The contribution of one old dimension to one new dimension.
struct Addend {
  size_t dim = 0;
  int64_t coefficient = 0;
  int64_t num_keys = 0;

  int64_t step() const { return std::abs(coefficient); }
  int64_t range() const { return step() * (num_keys - 1); }
};

/// An affine map of keys, by new dimension. Old dimensions of one key contribute nothing and are
/// left out.
class AffineMap {
 public:
  AffineMap(const Rekey& rekey, const std::vector<KeyDim>& from, const std::vector<KeyDim>& to)
      : rekey_(rekey), from_(from), to_(to), num_uses_(from.size(), 0) {
    for (const KeyExpression& expression : rekey.key) {
      std::map<size_t, int64_t> coefficients;
      for (const KeyExpression::Term& term : expression.terms) {
        coefficients[static_cast<size_t>(find_key_dim(from, term.label))] += term.coefficient;
      }
      std::vector<Addend>& row = rows_.emplace_back();
      for (const auto& [dim, coefficient] : coefficients) {
        if (coefficient != 0 && num_keys(from[dim]) > 1) {
          row.push_back({dim, coefficient, num_keys(from[dim])});
          ++num_uses_[dim];
        }
      }
      std::stable_sort(row.begin(), row.end(), [](const Addend& one, const Addend& other) {
        return one.step() < other.step();
      });
    }
  }

  /// Returns why a box of all keys does not become one.
  ///
  /// Let every new dimension begin at 0, which all have to. A dimension d that adds to two of them,
  /// r and s, leaves a gap: with equal signs r is largest only if d makes s more than 0, with
  /// unlike signs r and s are never largest together. If all add to one, the new dimensions are
  /// independent, and each has to count all numbers once: then the smallest step is 1, and each
  /// next one is the count of those before, like the digits of a number.
  Problem problem_of_box() const {
    for (size_t dim = 0; dim < from_.size(); ++dim) {
      if (num_keys(from_[dim]) > 1 && num_uses_[dim] == 0) {
        return collides(origin(), with(origin(), dim, 1));
      }
    }
    for (size_t row = 0; row < rows_.size(); ++row) {
      if (smallest(row) > 0) {
        return gap(with(image(origin()), row, 0), to_);
      }
    }
    for (size_t dim = 0; dim < from_.size(); ++dim) {
      if (num_uses_[dim] > 1) {
        return gap_between(dim);
      }
    }
    for (size_t row = 0; row < rows_.size(); ++row) {
      if (Problem problem = problem_of_digits(row)) {
        return problem;
      }
    }
    return std::nullopt;
  }

  /// True if it is proven that no two keys of the box become one: a new dimension identifies an old
  /// one if its step is more than the sum of all smaller steps that are not identified yet.
  bool is_one_to_one() const {
    std::vector<bool> is_told(from_.size(), false);
    bool has_changed = true;
    while (has_changed) {
      has_changed = false;
      for (const std::vector<Addend>& row : rows_) {
        has_changed = tell(row, is_told) || has_changed;
      }
    }
    for (size_t dim = 0; dim < from_.size(); ++dim) {
      if (num_keys(from_[dim]) > 1 && !is_told[dim]) {
        return false;
      }
    }
    return true;
  }

 private:
  Key origin() const { return Key(from_.size(), 0); }
  static Key with(Key key, size_t dim, int64_t value) {
    key[dim] = value;
    return key;
  }
  Key image(const Key& key) const { return mapped_key(from_, key, rekey_.key); }
  Problem collides(const Key& one, const Key& other) const {
    return collision(one, other, from_, image(one), to_);
  }

  int64_t smallest(size_t row) const {
    return std::accumulate(rows_[row].begin(), rows_[row].end(), rekey_.key[row].offset,
                           [](int64_t sum, const Addend& addend) {
                             return sum + std::min<int64_t>(
                                              0, addend.coefficient * (addend.num_keys - 1));
                           });
  }
  int64_t largest(size_t row) const {
    return std::accumulate(rows_[row].begin(), rows_[row].end(), smallest(row),
                           [](int64_t sum, const Addend& addend) { return sum + addend.range(); });
  }

  int64_t coefficient(size_t row, size_t dim) const {
    for (const Addend& addend : rows_[row]) {
      if (addend.dim == dim) {
        return addend.coefficient;
      }
    }
    return 0;
  }

  /// Returns the problem of a dimension that adds to two new ones.
  Problem gap_between(size_t dim) const {
    std::vector<size_t> rows;
    for (size_t row = 0; row < rows_.size(); ++row) {
      if (coefficient(row, dim) != 0) {
        rows.push_back(row);
      }
    }
    const bool is_opposed = (coefficient(rows[0], dim) < 0) != (coefficient(rows[1], dim) < 0);
    const Key key = with(image(origin()), rows[0], largest(rows[0]));
    return gap(with(key, rows[1], is_opposed ? largest(rows[1]) : 0), to_);
  }

  /// Returns the problem of a new dimension's digits. REQUIRES that it begins at 0.
  Problem problem_of_digits(size_t row) const {
    int64_t counted = 1;  // numbers below this are counted, once each
    for (size_t place = 0; place < rows_[row].size(); ++place) {
      const Addend& addend = rows_[row][place];
      if (addend.step() > counted) {
        return gap(with(image(origin()), row, counted), to_);
      }
      if (addend.step() < counted) {
        return collides(key_of(row, place + 1, addend.step(), place),
                        key_of(row, place, addend.step()));
      }
      counted *= addend.num_keys;
    }
    return std::nullopt;
  }

  /// Returns the key whose first digits of a row count a number; with `only`, by that digit alone.
  Key key_of(size_t row, size_t num_digits, int64_t number,
             std::optional<size_t> only = std::nullopt) const {
    Key key = origin();
    for (const Addend& addend : rows_[row]) {
      key[addend.dim] = addend.coefficient < 0 ? addend.num_keys - 1 : 0;
    }
    for (size_t place = num_digits; place-- > 0;) {
      const Addend& addend = rows_[row][place];
      if (!only || place == *only) {
        const int64_t digit = number / addend.step();
        key[addend.dim] += addend.coefficient < 0 ? -digit : digit;
        number -= digit * addend.step();
      }
    }
    return key;
  }

  static bool tell(const std::vector<Addend>& row, std::vector<bool>& is_told) {
    int64_t below = 0;
    bool is_new = false;
    for (const Addend& addend : row) {
      if (!is_told[addend.dim]) {
        if (addend.step() <= below) {
          return false;
        }
        below += addend.range();
        is_new = true;
      }
    }
    for (const Addend& addend : row) {
      is_told[addend.dim] = true;
    }
    return is_new;
  }

  const Rekey& rekey_;
  const std::vector<KeyDim>& from_;
  const std::vector<KeyDim>& to_;
  std::vector<std::vector<Addend>> rows_;  // by new dimension, by step
  std::vector<int> num_uses_;              // by old dimension: the number of new ones it adds to
};

Problem problem_of_listed(const std::set<Key>& keys, const Rekey& rekey,
                          const std::vector<KeyDim>& from, const std::vector<KeyDim>& to) {
  std::map<Key, Key> taken;  // new key -> old key
  for (const Key& key : keys) {
    const auto [place, is_new] = taken.emplace(mapped_key(from, key, rekey.key), key);
    if (!is_new) {
      return collision(place->second, key, from, place->first, to);
    }
  }
  return std::nullopt;
}

std::string count_text(const std::vector<KeyDim>& key) {
  const int64_t keys = num_keys(key);
  return keys > kMostTuples ? fmt::format("more than {}", kMostTuples) : fmt::format("{}", keys);
}

bool is_empty(const std::vector<KeyDim>& key) {
  return std::any_of(key.begin(), key.end(), [](const KeyDim& dim) { return num_keys(dim) == 0; });
}

}  // namespace

std::optional<std::string> problem_of_rekey(const Rekey& rekey, const RelationType& from,
                                            const std::vector<KeyDim>& to) {
  if (is_empty(from.key)) {
    return std::nullopt;
  }
  const AffineMap map(rekey, from.key, to);
  return std::visit(
      Overload{
          [&](const AllKeys&) { return map.problem_of_box(); },
          [&](const ListedKeys& some) { return problem_of_listed(some.keys, rekey, from.key, to); },
          [&](const UnknownKeys&) -> Problem {
            if (num_keys(from.key) <= kMostLookedAt || map.is_one_to_one()) {
              return std::nullopt;
            }
            return fmt::format(
                "rekey: cannot tell whether every tuple gets a key of its own: not all would "
                "if all were there, which of them a filter keeps is not known, and they are "
                "{}, too many to look at each; rekey before the filter, or by a key that is "
                "one to one",
                count_text(from.key));
          }},
      from.present);
}

std::optional<std::string> problem_of_result(const Output& result, const Makers& makers,
                                             const Relations& relations) {
  const std::vector<KeyDim>& key = relations(result.node)->key;
  if (num_keys(key) <= kMostListedKeys) {
    return std::nullopt;
  }
  NodeId node = result.node;
  while (!has_all(relations(node)->present)) {
    const Op& op = *makers(node).op;
    const auto* filter = std::get_if<Filter>(&op);
    if (filter == nullptr && !std::holds_alternative<Transform>(op)) {
      return std::nullopt;  // the plan finds out
    }
    const FirstLeftOut first =
        filter == nullptr ? FirstLeftOut{} : first_left_out(filter->predicate, key);
    if (first.key) {
      return fmt::format("result {}: there is no tuple with key {}: a filter leaves it out",
                         result.name, to_string(*first.key, key));
    }
    if (!first.is_known && (num_keys(key) > kMostLookedAt)) {
      return fmt::format(
          "result {}: cannot tell whether a filter leaves out a tuple: its {} keys are too many to "
          "look at each; filter by comparisons of sums of keys, or less of them",
          result.name, count_text(key));
    }
    node = inputs_of(op)[0];
  }
  return std::nullopt;
}

}  // namespace tessera::tra
