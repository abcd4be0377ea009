#include "plan/scanning.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "plan/views.h"

namespace tessera::plan {

namespace {

using Tuple = std::vector<View>;

std::vector<expr::LabelDecl> labels_of(const tra::RelationType& type) {
  std::vector<expr::LabelDecl> labels;
  for (const tra::Mode& mode : type.columns.front().modes) {
    labels.push_back({mode.label, mode.extent});
  }
  return labels;
}

/// Makes out[l] = the identity, for every entry of the state.
expr::TileProgram identity_program(const expr::Monoid& monoid, const tra::RelationType& type) {
  expr::TileProgram program{labels_of(type), 0, {{}}};
  expr::TileStatement& statement = program.statements.front();
  for (size_t label = 0; label < program.labels.size(); ++label) {
    statement.out.push_back(static_cast<expr::LabelNumber>(label));
  }
  for (size_t entry = 0; entry < monoid.state.size(); ++entry) {
    expr::ScalarBuilder builder;
    statement.bodies.push_back(
        builder.finish(builder.constant(monoid.identity[entry], monoid.state[entry])));
  }
  return program;
}

/// The keys of a relation in the order of a scan, group by group.
class ScanKeys {
 public:
  ScanKeys(const tra::Scan& scan, const tra::RelationType& type)
      : key_(type.key),
        along_(static_cast<size_t>(tra::find_key_dim(type.key, scan.along))),
        is_forward_(scan.direction == expr::Scan::Direction::forward) {}

  /// Returns the first key of every group, in row-major order.
  tra::Keys groups() const {
    std::vector<tra::KeyRange> ranges;
    for (const tra::KeyDim& dim : key_) {
      ranges.push_back({0, tra::num_keys(dim)});
    }
    ranges[along_].end = 1;
    return tra::Keys(std::move(ranges));
  }

  Key at(Key group, int64_t step) const {
    group[along_] = is_forward_ ? step : num_steps() - 1 - step;
    return group;
  }

  /// Counts the steps of a group up to the last needed one.
  int64_t num_needed(const Key& group, const std::function<bool(const Key&)>& is_needed) const {
    int64_t steps = num_steps();
    while (steps > 0 && !is_needed(at(group, steps - 1))) {
      --steps;
    }
    return steps;
  }

 private:
  int64_t num_steps() const { return tra::num_keys(key_[along_]); }

  const std::vector<tra::KeyDim>& key_;
  const size_t along_;
  const bool is_forward_;
};

class Scanning {
 public:
  Scanning(TaskBuilder& tasks, const tra::Scan& scan, const tra::RelationType& type,
           const Lineage& tuples, const std::function<bool(const Key&)>& is_needed)
      : tasks_(tasks),
        type_(type),
        tuples_(tuples),
        is_needed_(is_needed),
        keys_(scan, type),
        identity_(identity_program(scan.monoid, type)),
        combine_(expr::combine_program(scan.monoid, labels_of(type))) {}

  Lineage run() && {
    for (const Key& group : keys_.groups()) {
      add_group(group);
    }
    return std::move(results_);
  }

 private:
  void add_group(const Key& group) {
    const int64_t steps = keys_.num_needed(group, is_needed_);
    Tuple before;
    for (int64_t step = 0; step < steps; ++step) {
      const Key key = keys_.at(group, step);
      if (step == 0 && !is_needed_(key)) {
        continue;
      }
      before = step == 0 ? identity(key) : merged(before, keys_.at(group, step - 1), step, key);
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

  /// Merges the result before a tuple with the tuple; the first result is the tuple itself.
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
  const ScanKeys keys_;
  const Shared<expr::TileProgram> identity_;
  const Shared<expr::TileProgram> combine_;
  Lineage results_;
};

class WalkingScan {
 public:
  WalkingScan(TaskBuilder& tasks, SiteTuples& sites, const tra::Scan& scan,
              const tra::RelationType& type, const WalkPlaces& places)
      : tasks_(tasks),
        sites_(sites),
        type_(type),
        places_(places),
        keys_(scan, type),
        identity_(identity_program(scan.monoid, type)),
        step_(scan.kernel),
        results_(sites.num_sites()) {}

  LineageBySite run() && {
    for (const Key& group : keys_.groups()) {
      add_group(group);
    }
    LineageBySite lineage;
    for (Lineage& results : results_) {
      lineage.push_back(std::make_shared<const Lineage>(std::move(results)));
    }
    return lineage;
  }

 private:
  /// The states before a key, by site; none on a site without the key.
  using States = std::vector<std::optional<Tuple>>;

  void add_group(const Key& group) {
    const auto is_needed = [&](const Key& key) {
      return !places_.needed || places_.needed->count(key) != 0;
    };
    const int64_t steps = keys_.num_needed(group, is_needed);
    States before;
    for (int64_t step = 0; step < steps; ++step) {
      const Key key = keys_.at(group, step);
      before = step == 0 ? identities(key) : states_behind(keys_.at(group, step - 1), before, key);
      for (size_t site = 0; site < before.size() && is_needed(key); ++site) {
        if (before[site]) {
          results_[site].tuples.emplace(key, *before[site]);
        }
      }
    }
  }

  States identities(const Key& key) {
    States states(results_.size());
    for (size_t site = 0; site < states.size(); ++site) {
      if (places_.is_placed(key, site)) {
        states[site] = added(identity_, key, {}, site, key);
      }
    }
    return states;
  }

  /// Returns the states before `key`, from those before the last key and the last key's tile.
  States states_behind(const Key& last, const States& before, const Key& key) {
    States states(results_.size());
    const Tuple* made = nullptr;
    for (size_t site = 0; site < states.size(); ++site) {
      if (before[site] && places_.is_placed(key, site)) {
        states[site] = behind(last, *before[site], site, key);
        made = made == nullptr ? &*states[site] : made;
      }
    }
    std::optional<Tuple> elsewhere;
    for (size_t site = 0; site < states.size(); ++site) {
      if (states[site] || !places_.is_placed(key, site)) {
        continue;
      }
      if (made == nullptr) {
        const auto first = static_cast<size_t>(
            std::find_if(before.begin(), before.end(),
                         [](const std::optional<Tuple>& tuple) { return tuple.has_value(); }) -
            before.begin());
        elsewhere = behind(last, *before[first], first, key);
        made = &*elsewhere;
      }
      tasks_.set_site(SiteId(static_cast<int64_t>(site)));
      states[site] = sites_.moved(site, type_, key, *made, tasks_);
    }
    return states;
  }

  Tuple behind(const Key& last, const Tuple& before, size_t site, const Key& key) {
    Tuple inputs = places_.met(last, site);
    inputs.insert(inputs.end(), before.begin(), before.end());
    return added(step_, last, std::move(inputs), site, key);
  }

  /// Adds the task that makes the tuple of `key` with a program, over the ranges of another key.
  Tuple added(const Shared<expr::TileProgram>& program, const Key& over, Tuple inputs, size_t site,
              const Key& key) {
    tasks_.set_site(SiteId(static_cast<int64_t>(site)));
    Tuple result = tasks_.new_tuple(type_, key);
    tasks_.add_compute(tasks_.intern(program), ranges_of(program, type_.key, over), false,
                       std::move(inputs), result);
    return result;
  }

  TaskBuilder& tasks_;
  SiteTuples& sites_;
  const tra::RelationType& type_;
  const WalkPlaces& places_;
  const ScanKeys keys_;
  const Shared<expr::TileProgram> identity_;
  const Shared<expr::TileProgram> step_;
  std::vector<Lineage> results_;  // by site
};

}  // namespace

Lineage add_scan(TaskBuilder& tasks, const tra::Scan& scan, const tra::RelationType& type,
                 const Lineage& tuples, const std::function<bool(const Key&)>& is_needed) {
  return Scanning(tasks, scan, type, tuples, is_needed).run();
}

LineageBySite add_walking_scan(TaskBuilder& tasks, SiteTuples& sites, const tra::Scan& scan,
                               const tra::RelationType& type, const WalkPlaces& places) {
  return WalkingScan(tasks, sites, scan, type, places).run();
}

}  // namespace tessera::plan
