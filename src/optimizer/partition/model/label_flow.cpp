#include "optimizer/partition/model/label_flow.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tessera::optimizer::partition {

namespace {

/// Sets that are joined, each known by one of its members.
class DisjointSets {
 public:
  int32_t add() {
    parent_.push_back(static_cast<int32_t>(parent_.size()));
    return parent_.back();
  }
  int32_t find(int32_t member) {
    while (parent_[static_cast<size_t>(member)] != member) {
      int32_t& up = parent_[static_cast<size_t>(member)];
      up = parent_[static_cast<size_t>(up)];
      member = up;
    }
    return member;
  }
  /// Joins two sets. Keeps the older member.
  void join(int32_t a, int32_t b) {
    const auto [low, high] = std::minmax({find(a), find(b)});
    parent_[static_cast<size_t>(high)] = low;
  }

 private:
  std::vector<int32_t> parent_;
};

}  // namespace

LabelFlow label_flow_of(const Model& model) {
  DisjointSets sets;
  std::map<std::pair<int64_t, size_t>, int32_t> set_of_mode;  // by vertex that is read, and mode
  std::optional<int64_t> first_input;
  LabelFlow flow;
  for (const StatementModel& statement : model.statements) {
    std::vector<int32_t>& own = flow.flow_of.emplace_back();
    for (size_t label = 0; label < statement.extents.size(); ++label) {
      own.push_back(sets.add());
    }
    for (const Operand& operand : statement.operands) {
      for (size_t mode = 0; mode < operand.labels.size(); ++mode) {
        if (operand.labels[mode] == kWholeMode ||
            operand.reach[mode].step != operand.reach[mode].divisor) {
          continue;  // its pieces are not the label's
        }
        const int32_t label = own[static_cast<size_t>(operand.labels[mode])];
        const auto key = std::make_pair(static_cast<int64_t>(operand.vertex.index()), mode);
        sets.join(set_of_mode.emplace(key, label).first->second, label);
        const bool can_lead =
            operand.producer == kPreplaced && mode == 0 && operand.labels.size() > 1;
        if (can_lead && key.first < first_input.value_or(key.first + 1)) {
          first_input = key.first;
          flow.batch = label;
        }
      }
    }
    for (size_t mode = 0; mode < statement.out.size(); ++mode) {
      set_of_mode.emplace(std::make_pair(static_cast<int64_t>(statement.vertex.index()), mode),
                          own[static_cast<size_t>(statement.out[mode])]);
    }
  }
  for (std::vector<int32_t>& own : flow.flow_of) {
    for (int32_t& label : own) {
      label = sets.find(label);
    }
  }
  if (flow.batch) {
    flow.batch = sets.find(*flow.batch);
  }
  return flow;
}

void measure_reach(Model& model) {
  const LabelFlow flow = label_flow_of(model);
  std::set<int32_t> is_read;
  for (const StatementModel& statement : model.statements) {
    for (const Operand& operand : statement.operands) {
      is_read.insert(operand.producer);
    }
  }
  std::map<int32_t, double> bytes_of_flow;
  for (size_t number = 0; number < model.statements.size(); ++number) {
    if (is_read.count(static_cast<int32_t>(number)) == 0) {
      continue;
    }
    const StatementModel& statement = model.statements[number];
    auto bytes = static_cast<double>(statement.out_bytes);
    for (const int32_t label : statement.out) {
      bytes *= static_cast<double>(statement.extents[static_cast<size_t>(label)]);
    }
    for (const int32_t label : statement.out) {
      bytes_of_flow[flow.flow_of[number][static_cast<size_t>(label)]] += bytes;
    }
  }
  for (size_t number = 0; number < model.statements.size(); ++number) {
    for (size_t label = 0; label < flow.flow_of[number].size(); ++label) {
      model.statements[number].reach[label] = bytes_of_flow[flow.flow_of[number][label]];
    }
  }
}

}  // namespace tessera::optimizer::partition
