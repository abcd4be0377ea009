#include "plan/merging.h"

#include <utility>

namespace tessera::plan {

namespace {

using Tuple = std::vector<View>;

class Merging {
 public:
  Merging(TaskBuilder& tasks, const expr::Monoid& monoid, const tra::RelationType& type,
          const Key& group)
      : tasks_(tasks), type_(type), group_(group) {
    std::vector<expr::LabelDecl> labels;
    for (const tra::Mode& mode : type.columns.front().modes) {
      labels.push_back({mode.label, mode.extent});
    }
    const expr::TileProgram program = expr::combine_program(monoid, labels);
    program_ = tasks.intern(program);
    ranges_ = ranges_of(program, type.key, group);
  }

  /// Merges ((t0 + t1) + t2) + ...
  Tuple in_sequence(const std::vector<Tuple>& tuples) { return in_sequence(tuples, new_tuple()); }

  Tuple in_sequence(const std::vector<Tuple>& tuples, const Tuple& result) {
    for (size_t next = 1; next < tuples.size(); ++next) {
      merge_two(next == 1 ? tuples.front() : result, tuples[next], result);
    }
    return result;
  }

  /// Merges (t0 + t1) + (t2 + t3) ...: the order of tra::MergeOrder::tree. A finished partial is
  /// merged as soon as its partner is, like in a binary counter, so that few of them are held at a
  /// time.
  Tuple as_tree(const std::vector<Tuple>& tuples) {
    std::vector<Partial> partials;
    for (const Tuple& tuple : tuples) {
      partials.push_back({tuple, 1});
      while (partials.size() > 1 &&
             partials.back().num_tuples == partials[partials.size() - 2].num_tuples) {
        merge_last_two(partials);
      }
    }
    while (partials.size() > 1) {
      merge_last_two(partials);
    }
    return std::move(partials.front().tuple);
  }

 private:
  struct Partial {
    Tuple tuple;
    size_t num_tuples = 1;
  };

  Tuple new_tuple() { return tasks_.new_tuple(type_, group_); }

  void merge_two(Tuple left, const Tuple& right, const Tuple& result) {
    left.insert(left.end(), right.begin(), right.end());
    tasks_.add_compute(program_, ranges_, false, std::move(left), result);
  }

  void merge_last_two(std::vector<Partial>& partials) {
    const Partial right = std::move(partials.back());
    partials.pop_back();
    Partial& left = partials.back();
    // A partial that was merged here is this aggregate's own and takes the result. An incoming
    // tuple may have other readers.
    Tuple result = left.num_tuples > 1 ? left.tuple : new_tuple();
    merge_two(std::move(left.tuple), right.tuple, result);
    left = {std::move(result), left.num_tuples + right.num_tuples};
  }

  TaskBuilder& tasks_;
  const tra::RelationType& type_;
  const Key& group_;
  ProgramId program_;
  std::vector<kernels::LabelRange> ranges_;
};

}  // namespace

std::vector<View> add_merge(TaskBuilder& tasks, const tra::Aggregate& aggregate,
                            const tra::RelationType& type, const Key& group,
                            const std::vector<std::vector<View>>& tuples) {
  if (tuples.size() == 1) {
    return tuples.front();
  }
  Merging merging(tasks, aggregate.monoid, type, group);
  return aggregate.order == tra::MergeOrder::tree ? merging.as_tree(tuples)
                                                  : merging.in_sequence(tuples);
}

std::vector<View> merge_in_place(TaskBuilder& tasks, const tra::Aggregate& aggregate,
                                 const tra::RelationType& type, const Key& group,
                                 const std::vector<std::vector<View>>& tuples) {
  return tuples.size() == 1
             ? tuples.front()
             : Merging(tasks, aggregate.monoid, type, group).in_sequence(tuples, tuples.front());
}

}  // namespace tessera::plan
