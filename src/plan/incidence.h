#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tessera::plan {

/// A list of members for every owner, flat: the tiles of every task, the tasks of every tile. Lists
/// are appended in the order of their owners' numbers.
template <class Owner, class Member>
class Incidence {
 public:
  /// Appends the list of the next owner.
  void append(std::span<const Member> members) {
    members_.insert(members_.end(), members.begin(), members.end());
    ends_.push_back(members_.size());
  }

  size_t num_owners() const { return ends_.size() - 1; }

  std::span<const Member> of(Owner owner) const {
    const size_t begin = ends_[owner.index()];
    return std::span(members_).subspan(begin, ends_[owner.index() + 1] - begin);
  }

  /// Returns the owners of every member, in ascending order.
  Incidence<Member, Owner> reversed(size_t num_members) const {
    Incidence<Member, Owner> result;
    result.ends_.assign(num_members + 1, 0);
    for (const Member member : members_) {
      ++result.ends_[member.index() + 1];
    }
    for (size_t member = 0; member < num_members; ++member) {
      result.ends_[member + 1] += result.ends_[member];
    }
    std::vector<size_t> next(result.ends_.begin(), result.ends_.end() - 1);
    result.members_.resize(members_.size());
    for (size_t owner = 0; owner < num_owners(); ++owner) {
      const Owner id(static_cast<int64_t>(owner));
      for (const Member member : of(id)) {
        result.members_[next[member.index()]++] = id;
      }
    }
    return result;
  }

 private:
  template <class, class>
  friend class Incidence;

  std::vector<size_t> ends_ = {0};  // of the list of every owner, behind the 0
  std::vector<Member> members_;
};

}  // namespace tessera::plan
