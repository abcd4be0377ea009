#include "ir/tra/part_lists.h"

#include <numeric>
#include <utility>

namespace tessera::tra {

PartLists PartLists::one_each(std::vector<int64_t> numbers) {
  PartLists parts;
  parts.first_.resize(numbers.size() + 1);
  std::iota(parts.first_.begin(), parts.first_.end(), size_t{0});
  parts.items_ = std::move(numbers);
  return parts;
}

PartLists PartLists::grouped(const std::vector<int64_t>& into, size_t num_groups) {
  const auto is_inside = [&](int64_t group) {
    return group >= 0 && group < static_cast<int64_t>(num_groups);
  };
  PartLists parts;
  parts.first_.assign(num_groups + 1, 0);
  for (const int64_t group : into) {
    if (is_inside(group)) {
      ++parts.first_[static_cast<size_t>(group) + 1];
    }
  }
  std::partial_sum(parts.first_.begin(), parts.first_.end(), parts.first_.begin());
  std::vector<size_t> next = parts.first_;
  parts.items_.resize(into.size());
  for (size_t number = 0; number < into.size(); ++number) {
    if (is_inside(into[number])) {
      parts.items_[next[static_cast<size_t>(into[number])]++] = static_cast<int64_t>(number);
    }
  }
  return parts;
}

PartLists PartLists::shared(std::vector<int64_t> groups, const std::vector<bool>& merged,
                            size_t num_groups) {
  std::vector<int64_t> into = groups;
  for (size_t number = 0; number < into.size(); ++number) {
    into[number] = merged[number] ? into[number] : -1;
  }
  PartLists parts = grouped(into, num_groups);
  parts.group_ = std::move(groups);
  return parts;
}

PartLists PartLists::merged(const std::vector<KeyDim>& from, const std::vector<KeyDim>& to) {
  if (!has_windows(to)) {
    return grouped(Coarsening(from, to).numbers(), static_cast<size_t>(num_keys(to)));
  }
  PartLists parts;
  parts.first_ = {0};
  for (const Key& key : all_keys(to)) {
    for (const Key& part : parts_of(key, to, from)) {
      parts.items_.push_back(static_cast<int64_t>(number_of(part, from)));
    }
    parts.first_.push_back(parts.items_.size());
  }
  return parts;
}

std::span<const int64_t> PartLists::of(size_t tuple) const {
  const size_t group = group_.empty() ? tuple : static_cast<size_t>(group_[tuple]);
  return std::span(items_).subspan(first_[group], first_[group + 1] - first_[group]);
}

}  // namespace tessera::tra
