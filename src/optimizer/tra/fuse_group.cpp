#include "optimizer/tra/fuse_group.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "expr/hash.h"

namespace tessera::optimizer {

namespace {

using expr::LabelNumber;

constexpr LabelNumber kNone = -1;

int64_t num_labels_cut(const std::vector<tra::KeyDim>& key) {
  return std::count_if(key.begin(), key.end(),
                       [](const tra::KeyDim& dim) { return tra::num_keys(dim) != 1; });
}

/// Returns the kernel of an operator; null if it has none.
const expr::TileProgram* kernel_of(const tra::Op& op) {
  const auto* join = std::get_if<tra::Join>(&op);
  const auto* transform = std::get_if<tra::Transform>(&op);
  return join != nullptr ? &*join->kernel : transform != nullptr ? &*transform->kernel : nullptr;
}

/// Returns the length of the longest piece that a dimension counts; nothing if it counts none.
std::optional<int64_t> longest_piece(const tra::KeyDim& dim) {
  const ModeGrid* grid = tra::grid_of(dim);
  if (grid == nullptr) {
    return std::nullopt;
  }
  int64_t longest = 0;
  for (int64_t piece = 0; piece < grid->num_pieces(); ++piece) {
    longest = std::max(longest, grid->length(piece));
  }
  return longest;
}

bool contains(const std::vector<LabelNumber>& labels, LabelNumber label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

}  // namespace

Readers readers_of(const tra::Graph& graph) {
  Readers readers{std::vector<std::vector<tra::NodeId>>(graph.nodes.size()),
                  std::vector<bool>(graph.nodes.size(), false)};
  for (size_t number = 0; number < graph.nodes.size(); ++number) {
    for (const tra::NodeId input : tra::inputs_of(graph.nodes[number].op)) {
      std::vector<tra::NodeId>& of_input = readers.nodes[input.index()];
      const tra::NodeId reader(static_cast<int64_t>(number));
      if (of_input.empty() || of_input.back() != reader) {
        of_input.push_back(reader);
      }
    }
  }
  for (const tra::Output& output : graph.outputs) {
    readers.is_output[output.node.index()] = true;
  }
  return readers;
}

std::vector<int64_t> number_kernels(const tra::Graph& graph) {
  std::vector<int64_t> numbers;
  std::unordered_multimap<size_t, size_t> firsts;  // by hash: the first node with a kernel
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    const expr::TileProgram* kernel = kernel_of(graph.nodes[node].op);
    numbers.push_back(0);
    if (kernel == nullptr) {
      continue;
    }
    const size_t hash = expr::hash_of(*kernel);
    const auto [begin, end] = firsts.equal_range(hash);
    const auto same = std::find_if(begin, end, [&](const auto& first) {
      return *kernel_of(graph.nodes[first.second].op) == *kernel;
    });
    if (same == end) {
      numbers.back() = static_cast<int64_t>(firsts.size()) + 1;
      firsts.emplace(hash, node);
    } else {
      numbers.back() = numbers[same->second];
    }
  }
  return numbers;
}

bool FusionGroup::can_be_member(const tra::Graph& graph, tra::NodeId node) {
  const tra::Op& op = graph.at(node).op;
  const auto* join = std::get_if<tra::Join>(&op);
  const bool has_tiles = join != nullptr && !join->source;
  return has_tiles || std::holds_alternative<tra::Transform>(op);
}

FusionGroup::FusionGroup(const tra::Graph& graph, const Readers& readers,
                         const std::vector<int64_t>& kernels, tra::NodeId last)
    : graph_(&graph), readers_(&readers), kernels_(&kernels), key_(&graph.at(last).type.key) {
  Member member = member_of(last);
  labels_ = member.kernel->labels;
  for (size_t label = 0; label < labels_.size(); ++label) {
    member.labels.push_back(static_cast<LabelNumber>(label));
  }
  for (const tra::KeyDim& dim : *key_) {
    longest_.push_back(longest_piece(dim));
    member.key_names[tra::label_of(dim)] = tra::label_of(dim);
  }
  members_.emplace(last.index(), std::move(member));
}

FusionGroup::Member FusionGroup::member_of(tra::NodeId node) const {
  const tra::Op& op = graph_->at(node).op;
  const int64_t kernel_number = (*kernels_)[node.index()];
  if (const auto* join = std::get_if<tra::Join>(&op)) {
    return {join->inputs, join->match, &*join->kernel, kernel_number, {}, {}};
  }
  const auto& transform = std::get<tra::Transform>(op);
  std::vector<std::string> match;
  for (const tra::KeyDim& dim : graph_->at(transform.input).type.key) {
    match.push_back(tra::label_of(dim));
  }
  return {{transform.input}, {std::move(match)}, &*transform.kernel, kernel_number, {}, {}};
}

std::vector<FusionGroup::Read> FusionGroup::reads_of(tra::NodeId node) const {
  std::vector<Read> uses;
  for (const tra::NodeId reader : readers_->nodes[node.index()]) {
    const auto member = members_.find(reader.index());
    if (member == members_.end()) {
      continue;
    }
    int32_t operand = 0;
    for (size_t input = 0; input < member->second.inputs.size(); ++input) {
      const tra::NodeId read = member->second.inputs[input];
      if (read == node) {
        uses.push_back({&member->second, input, operand});
      }
      operand += static_cast<int32_t>(graph_->at(read).type.columns.size());
    }
  }
  return uses;
}

bool FusionGroup::is_cut(const std::string& label) const {
  const int dim = tra::find_key_dim(*key_, label);
  return dim >= 0 && tra::num_keys((*key_)[static_cast<size_t>(dim)]) != 1;
}

/// Finds the label of the group's key that matches each dimension of a node's key.
OrRefusal<Done> FusionGroup::name_keys(Member& member, tra::NodeId node) const {
  const std::vector<tra::KeyDim>& key = graph_->at(node).type.key;
  bool is_first = true;
  for (const Read& use : reads_of(node)) {
    std::map<std::string, std::string> names;
    std::set<std::string> taken;
    for (size_t dim = 0; dim < key.size(); ++dim) {
      if (tra::num_keys(key[dim]) == 1) {
        continue;
      }
      const auto name = use.reader->key_names.find(use.reader->match[use.input][dim]);
      if (name == use.reader->key_names.end() || !taken.insert(name->second).second) {
        return Refusal{fmt::format("its tiles along {} are read across", tra::label_of(key[dim]))};
      }
      names[tra::label_of(key[dim])] = name->second;
    }
    if (static_cast<int64_t>(taken.size()) != num_labels_cut(*key_)) {
      return Refusal{"each of its tiles is read for several tiles of the result"};
    }
    if (!is_first && names != member.key_names) {
      return Refusal{"it is read by different keys"};
    }
    member.key_names = std::move(names);
    is_first = false;
  }
  return Done{};
}

/// Returns the label of the group by which all members read a mode of a node, or kNone.
LabelNumber FusionGroup::label_read_by(tra::NodeId node, size_t mode) const {
  const auto num_arrays = static_cast<int32_t>(graph_->at(node).type.columns.size());
  LabelNumber found = kNone;
  bool is_same = true;
  for (const Read& use : reads_of(node)) {
    expr::for_each_access(*use.reader->kernel, [&](const expr::Access& access, DType) {
      const int32_t array = access.operand - use.first_operand;
      if (array < 0 || array >= num_arrays) {
        return;
      }
      const std::optional<LabelNumber> plain = expr::plain_label(access.index[mode]);
      const LabelNumber label = plain ? use.reader->labels[static_cast<size_t>(*plain)] : kNone;
      is_same = is_same && label != kNone && (found == kNone || found == label);
      found = label;
    });
  }
  return is_same ? found : kNone;
}

/// Returns the group's label for a label by which no member reads the node: one of that name if it
/// fits, else a new one.
LabelNumber FusionGroup::own_label(const Member& member, const expr::LabelDecl& decl) {
  const auto name = member.key_names.find(decl.name);
  const bool is_cut_here = name != member.key_names.end();
  std::string wanted = is_cut_here ? name->second : decl.name;
  for (int copy = 2;; ++copy) {
    const LabelNumber same = expr::find_label({labels_, 0, {}}, wanted);
    const bool is_free = same < 0 && is_cut(wanted) == is_cut_here;
    const bool fits = same >= 0 && labels_[static_cast<size_t>(same)].extent == decl.extent &&
                      is_cut(wanted) == is_cut_here && !contains(member.labels, same);
    if (fits) {
      return same;
    }
    if (is_free) {
      labels_.push_back({wanted, decl.extent});
      return static_cast<LabelNumber>(labels_.size()) - 1;
    }
    if (is_cut_here) {
      return kNone;
    }
    wanted = fmt::format("{}_{}", decl.name, copy);
  }
}

OrRefusal<Done> FusionGroup::name_labels(Member& member, tra::NodeId node) {
  const std::vector<expr::LabelDecl>& own = member.kernel->labels;
  const std::vector<LabelNumber>& out = member.kernel->statements.back().out;
  member.labels.assign(own.size(), kNone);
  for (size_t mode = 0; mode < out.size(); ++mode) {
    const auto label = static_cast<size_t>(out[mode]);
    const LabelNumber read = label_read_by(node, mode);
    const auto cut = member.key_names.find(own[label].name);
    if (read == kNone || contains(member.labels, read) ||
        labels_[static_cast<size_t>(read)].extent != own[label].extent) {
      if (cut != member.key_names.end()) {
        return Refusal{
            fmt::format("its mode {} is cut but not read by one label", own[label].name)};
      }
      continue;
    }
    const std::string& name = labels_[static_cast<size_t>(read)].name;
    const bool is_read_as_cut = cut == member.key_names.end() ? !is_cut(name) : cut->second == name;
    if (!is_read_as_cut) {
      return Refusal{fmt::format("its mode {} is read in other pieces", own[label].name)};
    }
    member.labels[label] = read;
  }
  for (size_t label = 0; label < own.size(); ++label) {
    if (member.labels[label] == kNone) {
      member.labels[label] = own_label(member, own[label]);
      if (member.labels[label] == kNone) {
        return Refusal{fmt::format("its label {} has another extent than the one it is read by",
                                   own[label].name)};
      }
    }
  }
  return Done{};
}

OrRefusal<Done> FusionGroup::add(tra::NodeId node) {
  if (!can_be_member(*graph_, node)) {
    return Refusal{"it is no statement on single tiles"};
  }
  if (readers_->is_output[node.index()]) {
    return Refusal{"it is a result"};
  }
  for (const tra::NodeId reader : readers_->nodes[node.index()]) {
    if (!has(reader)) {
      return Refusal{fmt::format("{} reads it too", graph_->at(reader).origin.statement)};
    }
  }
  Member member = member_of(node);
  const std::vector<expr::LabelDecl> labels_before = labels_;
  OrRefusal<Done> named = name_keys(member, node);
  if (named) {
    named = name_labels(member, node);
  }
  if (named) {
    members_.emplace(node.index(), std::move(member));
  } else {
    labels_ = labels_before;
  }
  return named;
}

std::vector<tra::NodeId> FusionGroup::nodes() const {
  std::vector<tra::NodeId> nodes;
  for (const auto& [number, member] : members_) {
    nodes.emplace_back(static_cast<int64_t>(number));
  }
  return nodes;
}

}  // namespace tessera::optimizer
