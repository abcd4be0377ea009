#include "plan/scanning.h"

#include <optional>
#include <utility>

#include "plan/views.h"

namespace tessera::plan {

namespace {

using Tuple = std::vector<View>;

/// out[l] = the identity, for every entry of the state.
expr::TileProgram identity_program(const expr::Monoid& monoid,
                                   const std::vector<expr::LabelDecl>& labels) {
  expr::TileStatement statement;
  for (size_t label = 0; label < labels.size(); ++label) {
    statement.out.push_back(static_cast<expr::LabelNumber>(label));
  }
  for (size_t entry = 0; entry < monoid.state.size(); ++entry) {
    expr::ScalarBuilder builder;
    statement.bodies.push_back(
        builder.finish(builder.constant(monoid.identity[entry], monoid.state[entry])));
  }
  return {labels, 0, {std::move(statement)}};
}

class Scanning {
 public:
  Scanning(TaskBuilder& tasks, const tra::Scan& scan, const tra::RelationType& type,
           const Lineage& tuples, const std::function<bool(const Key&)>& is_needed)
      : tasks_(tasks),
        type_(type),
        tuples_(tuples),
        is_needed_(is_needed),
        along_(static_cast<size_t>(tra::find_key_dim(type.key, scan.along))),
        is_forward_(scan.direction == expr::Scan::Direction::forward) {
    std::vector<expr::LabelDecl> labels;
    for (const tra::Mode& mode : type.columns.front().modes) {
      labels.push_back({mode.label, mode.extent});
    }
    identity_ = identity_program(scan.monoid, labels);
    combine_ = expr::combine_program(scan.monoid, labels);
  }

  Lineage run() && {
    std::vector<tra::KeyRange> groups;
    for (const tra::KeyDim& dim : type_.key) {
      groups.push_back({0, tra::num_keys(dim)});
    }
    groups[along_].end = 1;
    for (const Key& group : tra::Keys(std::move(groups))) {
      add_group(group);
    }
    return std::move(results_);
  }

 private:
  Key key_of(Key group, int64_t step) const {
    group[along_] = is_forward_ ? step : tra::num_keys(type_.key[along_]) - 1 - step;
    return group;
  }

  int64_t num_needed(const Key& group) const {
    int64_t steps = tra::num_keys(type_.key[along_]);
    while (steps > 0 && !is_needed_(key_of(group, steps - 1))) {
      --steps;
    }
    return steps;
  }

  void add_group(const Key& group) {
    const int64_t steps = num_needed(group);
    Tuple before;
    for (int64_t step = 0; step < steps; ++step) {
      const Key key = key_of(group, step);
      if (step == 0 && !is_needed_(key)) {
        continue;
      }
      before = step == 0 ? identity(key) : merged(before, key_of(group, step - 1), step, key);
      if (is_needed_(key)) {
        results_.tuples.emplace(key, before);
      }
    }
  }

  Tuple identity(const Key& key) {
    Tuple result = tasks_.new_tuple(type_, key);
    tasks_.add_compute(tasks_.intern(identity_), ranges_of(identity_, type_.key, key), false, {},
                       result);
    return result;
  }

  /// The result before a tuple and the tuple; of the first, the tuple itself.
  Tuple merged(Tuple before, const Key& last, int64_t step, const Key& key) {
    Tuple tuple = rebased(tasks_.graph(), tuples_.tuples.at(last), type_, key);
    if (step == 1) {
      return tuple;
    }
    Tuple result = tasks_.new_tuple(type_, key);
    before.insert(before.end(), tuple.begin(), tuple.end());
    tasks_.add_compute(tasks_.intern(combine_), ranges_of(combine_, type_.key, key), false,
                       std::move(before), result);
    return result;
  }

  TaskBuilder& tasks_;
  const tra::RelationType& type_;
  const Lineage& tuples_;
  const std::function<bool(const Key&)>& is_needed_;
  const size_t along_;
  const bool is_forward_;
  Shared<expr::TileProgram> identity_;
  Shared<expr::TileProgram> combine_;
  Lineage results_;
};

}  // namespace

Lineage add_scan(TaskBuilder& tasks, const tra::Scan& scan, const tra::RelationType& type,
                 const Lineage& tuples, const std::function<bool(const Key&)>& is_needed) {
  return Scanning(tasks, scan, type, tuples, is_needed).run();
}

}  // namespace tessera::plan
