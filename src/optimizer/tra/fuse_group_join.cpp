#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "expr/hash.h"
#include "expr/scalar_part.h"
#include "optimizer/tra/fuse_group.h"

// Makes a group of statements one join: its inputs, its kernel, its name.
namespace tessera::optimizer {

namespace {

using expr::LabelNumber;

expr::Scalar relabelled(expr::Scalar scalar, const std::vector<LabelNumber>& labels,
                        const std::vector<int32_t>& operands) {
  for (expr::Node& node : scalar.nodes) {
    node = expr::renumbered(std::move(node), labels, operands);
  }
  // Two inputs of a member may be one operand of the group: their equal reads become one node.
  const std::set<int32_t> different(operands.begin(), operands.end());
  const auto root = static_cast<int32_t>(scalar.nodes.size()) - 1;
  return different.size() == operands.size() ? scalar : expr::part_of(scalar, root);
}

/// Returns a statement's own name without the number of a part: "Y" of "Y.1".
std::string statement_name(const std::string& name) {
  return name.substr(0, name.find('.'));
}

/// True if an input's dimension, under this name, is the group's: its pieces, or a window for each.
bool meets(const tra::KeyDim& dim, const tra::KeyDim& of_group, const std::string& name) {
  return of_group == tra::with_label(dim, name) ||
         (tra::windows_of(dim) != nullptr && tra::num_keys(dim) == tra::num_keys(of_group));
}

}  // namespace

size_t GroupIdentity::hash() const {
  size_t hash = labels.size();
  for (const int64_t length : lengths) {
    hash = expr::mixed(hash, static_cast<size_t>(length));
  }
  for (const int64_t number : members) {
    hash = expr::mixed(hash, static_cast<size_t>(number));
  }
  return hash;
}

/// Returns the labels by which an input from outside meets the group's key.
std::vector<std::string> FusionGroup::match_in_group(const Member& member, size_t input) const {
  const std::vector<tra::KeyDim>& key = graph_->at(member.inputs[input]).type.key;
  std::vector<std::string> match;
  for (size_t dim = 0; dim < key.size(); ++dim) {
    const std::string& own = member.match[input][dim];
    const auto cut = member.key_names.find(own);
    const LabelNumber label = expr::find_label(*member.kernel, own);
    const bool has_several_keys = tra::num_keys(key[dim]) != 1;
    std::string name = tra::kNoLabel;
    if (has_several_keys || (label < 0 && cut != member.key_names.end())) {
      name = cut->second;
    } else if (label >= 0) {
      name = labels_[static_cast<size_t>(member.labels[static_cast<size_t>(label)])].name;
    }
    const int at = tra::find_key_dim(*key_, name);
    const bool is_in_key = at >= 0 && meets(key[dim], (*key_)[static_cast<size_t>(at)], name);
    match.push_back(is_in_key ? name : tra::kNoLabel);
  }
  return match;
}

/// The operands of a group's kernel: arrays from outside first, then results.
struct FusionGroup::KernelOperands {
  std::vector<std::pair<tra::NodeId, std::vector<std::string>>> inputs;
  std::vector<int32_t> first_array;  // by input
  int32_t num_arrays = 0;
  std::vector<int32_t> of_members;  // of consecutive members: operands of their kernels' inputs

  int32_t array_of(tra::NodeId node, std::vector<std::string> match, size_t num_columns) {
    std::pair<tra::NodeId, std::vector<std::string>> wanted{node, std::move(match)};
    const auto found = std::find(inputs.begin(), inputs.end(), wanted);
    if (found != inputs.end()) {
      return first_array[static_cast<size_t>(found - inputs.begin())];
    }
    inputs.push_back(std::move(wanted));
    first_array.push_back(num_arrays);
    num_arrays += static_cast<int32_t>(num_columns);
    return first_array.back();
  }
};

FusionGroup::KernelOperands FusionGroup::kernel_operands() const {
  KernelOperands operands;
  std::vector<std::pair<size_t, int32_t>> results;  // of members: the first of the last statement
  int32_t num_results = 0;
  for (const auto& [number, member] : members_) {
    for (size_t input = 0; input < member.inputs.size(); ++input) {
      const tra::NodeId node = member.inputs[input];
      const size_t num_columns = graph_->at(node).type.columns.size();
      const auto maker = std::find_if(results.begin(), results.end(), [&](const auto& result) {
        return result.first == node.index();
      });
      const bool is_result = maker != results.end();
      const int32_t first =
          is_result ? -1 - maker->second  // until the number of arrays is known
                    : operands.array_of(node, match_in_group(member, input), num_columns);
      for (int32_t column = 0; column < static_cast<int32_t>(num_columns); ++column) {
        operands.of_members.push_back(is_result ? first - column : first + column);
      }
    }
    for (const expr::TileStatement& statement : member.kernel->statements) {
      num_results += static_cast<int32_t>(statement.bodies.size());
    }
    const auto last = static_cast<int32_t>(member.kernel->statements.back().bodies.size());
    results.emplace_back(number, num_results - last);
  }
  for (int32_t& operand : operands.of_members) {
    operand = operand < 0 ? operands.num_arrays - 1 - operand : operand;
  }
  return operands;
}

GroupIdentity FusionGroup::identity() const {
  GroupIdentity identity{labels_, {}, {}};
  for (const expr::LabelDecl& label : labels_) {
    const int dim = tra::find_key_dim(*key_, label.name);
    identity.lengths.push_back(dim < 0 ? label.extent
                                       : longest_[static_cast<size_t>(dim)].value_or(label.extent));
  }
  for (const auto& [number, member] : members_) {
    identity.members.push_back(member.kernel_number);
    identity.members.insert(identity.members.end(), member.labels.begin(), member.labels.end());
  }
  const KernelOperands operands = kernel_operands();
  identity.members.insert(identity.members.end(), operands.of_members.begin(),
                          operands.of_members.end());
  return identity;
}

tra::Join FusionGroup::join() const {
  KernelOperands operands = kernel_operands();
  tra::Join join{{}, {}, *key_, {}};
  expr::TileProgram kernel{labels_, operands.num_arrays, {}};
  for (auto& [node, match] : operands.inputs) {
    join.inputs.push_back(node);
    join.match.push_back(std::move(match));
  }
  int32_t next_result = operands.num_arrays;
  auto next = operands.of_members.begin();
  for (const auto& [number, member] : members_) {
    std::vector<int32_t> renumbered(next, next + member.kernel->num_inputs);
    next += member.kernel->num_inputs;
    for (const expr::TileStatement& statement : member.kernel->statements) {
      expr::TileStatement made = statement;
      expr::for_each_label(made, [&labels = member.labels](LabelNumber& label) {
        label = labels[static_cast<size_t>(label)];
      });
      for (expr::Scalar& body : made.bodies) {
        body = relabelled(std::move(body), member.labels, renumbered);
      }
      for (size_t result = 0; result < made.bodies.size(); ++result) {
        renumbered.push_back(next_result++);
      }
      kernel.statements.push_back(std::move(made));
    }
  }
  join.kernel = std::move(kernel);
  return join;
}

Origin FusionGroup::origin() const {
  Origin origin = graph_->at(nodes().back()).origin;
  std::vector<std::string> names;
  for (const tra::NodeId node : nodes()) {
    std::string name = statement_name(graph_->at(node).origin.statement);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(std::move(name));
    }
  }
  origin.statement.clear();
  for (const std::string& name : names) {
    origin.statement += (origin.statement.empty() ? "" : "+") + name;
  }
  return origin;
}

}  // namespace tessera::optimizer
