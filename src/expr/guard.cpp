#include "expr/guard.h"

#include <algorithm>

#include "expr/function_ids.h"

namespace tessera::expr {

namespace {

const Node& node_at(const Scalar& scalar, int32_t number) {
  return scalar.nodes[static_cast<size_t>(number)];
}

const Call* call_of(const Node& node, const char* function) {
  const auto* call = std::get_if<Call>(&node.op);
  return call != nullptr && call->function == function ? call : nullptr;
}

/// Reads one of two arguments as index(label), the other as the value.
std::optional<Grouping> grouping_by(const Scalar& scalar, int32_t value, int32_t position) {
  const auto* index = std::get_if<IndexOf>(&node_at(scalar, position).op);
  return index == nullptr ? std::nullopt : std::optional(Grouping{index->label, value});
}

std::optional<int64_t> whole_number(const Node& node) {
  const auto* constant = std::get_if<Constant>(&node.op);
  const auto* number = constant == nullptr ? nullptr : std::get_if<int64_t>(&constant->value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::optional<Grouping> written_grouping(const Scalar& scalar, int32_t term) {
  if (const Call* equal = call_of(node_at(scalar, term), id::kEqual)) {
    const std::optional<Grouping> right =
        grouping_by(scalar, equal->arguments[0], equal->arguments[1]);
    return right ? right : grouping_by(scalar, equal->arguments[1], equal->arguments[0]);
  }
  if (const Call* in_group = call_of(node_at(scalar, term), id::kInGroup)) {
    std::optional<Grouping> grouping =
        grouping_by(scalar, in_group->arguments[0], in_group->arguments[1]);
    const std::optional<int64_t> number = whole_number(node_at(scalar, in_group->arguments[2]));
    if (grouping && number) {
      grouping->num_groups = number;
      return grouping;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Guard> guard_of(const Scalar& body) {
  const Call* only = body.nodes.empty() ? nullptr : call_of(body.nodes.back(), id::kOnly);
  return only == nullptr ? std::nullopt
                         : std::optional(Guard{only->arguments[0], only->arguments[1]});
}

bool has_inner_guard(const Scalar& body) {
  const auto is_guard = [](const Node& node) { return call_of(node, id::kOnly) != nullptr; };
  return !body.nodes.empty() && std::any_of(body.nodes.begin(), body.nodes.end() - 1, is_guard);
}

std::vector<int32_t> conjunction_of(const Scalar& scalar, int32_t condition) {
  std::vector<int32_t> terms;
  std::vector<int32_t> pending = {condition};
  while (!pending.empty()) {
    const int32_t next = pending.back();
    pending.pop_back();
    if (const Call* both = call_of(node_at(scalar, next), id::kLogicalAnd)) {
      pending.insert(pending.end(), both->arguments.rbegin(), both->arguments.rend());
    } else {
      terms.push_back(next);
    }
  }
  return terms;
}

std::optional<Grouping> grouping_of(const Scalar& scalar, int32_t term,
                                    const std::vector<LabelNumber>& labels) {
  const std::optional<Grouping> grouping = written_grouping(scalar, term);
  const auto is_among = [&](LabelNumber label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  };
  if (!grouping || !is_among(grouping->label)) {
    return std::nullopt;
  }
  const std::vector<LabelNumber> below = labels_below(scalar, grouping->value);
  return std::find(below.begin(), below.end(), grouping->label) != below.end() ? std::nullopt
                                                                               : grouping;
}

std::vector<LabelNumber> group_labels(const Scalar& body, const std::vector<LabelNumber>& labels) {
  std::vector<LabelNumber> groups;
  if (const std::optional<Guard> guard = guard_of(body)) {
    for (const int32_t term : conjunction_of(body, guard->condition)) {
      const std::optional<Grouping> grouping = grouping_of(body, term, labels);
      if (grouping && std::find(groups.begin(), groups.end(), grouping->label) == groups.end()) {
        groups.push_back(grouping->label);
      }
    }
  }
  return groups;
}

}  // namespace tessera::expr
