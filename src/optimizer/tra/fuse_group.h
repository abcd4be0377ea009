#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/refusal.h"
#include "ir/tra/graph.h"

namespace tessera::optimizer {

/// The readers of a graph's nodes.
struct Readers {
  std::vector<std::vector<tra::NodeId>> nodes;  // by node, in order
  std::vector<bool> is_output;                  // by node: true if it is a result of the graph
};

Readers readers_of(const tra::Graph& graph);

/// Returns, by node, a number that nodes with equal kernels share; 0 if there is no kernel.
std::vector<int64_t> number_kernels(const tra::Graph& graph);

/// A short key that determines the kernel of a group and its largest call.
struct GroupIdentity {
  std::vector<expr::LabelDecl> labels;
  std::vector<int64_t> lengths;  // of the largest call, by label
  std::vector<int64_t> members;  // their kernels and labels in turn, then operands

  size_t hash() const;
  friend bool operator==(const GroupIdentity&, const GroupIdentity&) = default;
};

/// A group of statements that could run together, as one join with a kernel of several statements,
/// so that results passed between them stay in the cache.
///
/// A group starts with its last node, whose result is the group's, and grows towards the inputs by
/// nodes whose results only members read. A node may be added if
///   - it is a join or a transform: an aggregate over cut labels waits for tiles of other keys;
///   - it is no output, and all its readers are in the group: else others need its tiles;
///   - its tiles correspond one to one to the group's: each key dimension with more than one key
///     matches one dimension of the group's key, and each dimension of the group's key is matched.
///     A tile that several of the group's read would be computed several times;
///   - the group reads its modes with the same cuts: a part of a mode that it has whole, or the
///     reverse, has other positions.
/// Hence the labels that a member reduces lie whole within a tile, or are cut like in the result's
/// key.
///
/// The kernel of the group has labels of its own. A label of an added node is the one by which the
/// members read that mode of its result. Labels that the result lacks (those of its sums) get the
/// group's label of that name and extent, or a new one.
class FusionGroup {
 public:
  /// Borrows all; `kernels` are the numbers of the graph's. REQUIRES can_be_member(graph, last).
  FusionGroup(const tra::Graph& graph, const Readers& readers, const std::vector<int64_t>& kernels,
              tra::NodeId last);

  static bool can_be_member(const tra::Graph& graph, tra::NodeId node);

  /// Adds a node whose member readers were added before. If it refuses, the group is unchanged.
  OrRefusal<Done> add(tra::NodeId node);

  bool has(tra::NodeId node) const { return members_.count(node.index()) != 0; }
  /// Returns members by their place in the graph; the last makes the result.
  std::vector<tra::NodeId> nodes() const;
  /// Makes a join of all members' statements, on inputs of the graph they are from.
  tra::Join join() const;
  /// Returns the identity. Groups of one graph with equal ones have joins with equal kernels and
  /// equal largest calls.
  GroupIdentity identity() const;
  /// Returns the origin of the last member, named after all members.
  Origin origin() const;

 private:
  /// A node within the group: its labels under the group's names.
  struct Member {
    std::vector<tra::NodeId> inputs;
    std::vector<std::vector<std::string>> match;
    const expr::TileProgram* kernel;
    int64_t kernel_number;
    std::map<std::string, std::string> key_names;  // of its key labels with several keys
    std::vector<expr::LabelNumber> labels;         // of the group, by label of its kernel
  };
  /// A place where a member reads another node.
  struct Read {
    const Member* reader;
    size_t input;           // of the reader's kernel, that stands for the node's first array
    int32_t first_operand;  // of the reader's kernel, that stands for the node's first array
  };

  struct KernelOperands;

  Member member_of(tra::NodeId node) const;
  std::vector<Read> reads_of(tra::NodeId node) const;
  OrRefusal<Done> name_keys(Member& member, tra::NodeId node) const;
  OrRefusal<Done> name_labels(Member& member, tra::NodeId node);
  expr::LabelNumber label_read_by(tra::NodeId node, size_t mode) const;
  bool is_cut(const std::string& label) const;
  expr::LabelNumber own_label(const Member& member, const expr::LabelDecl& decl);
  std::vector<std::string> match_in_group(const Member& member, size_t input) const;
  KernelOperands kernel_operands() const;

  const tra::Graph* graph_;                      // not null
  const Readers* readers_;                       // not null
  const std::vector<int64_t>* kernels_;          // by node; not null
  const std::vector<tra::KeyDim>* key_;          // of the result; not null
  std::vector<std::optional<int64_t>> longest_;  // by key dimension that counts pieces: one
  std::vector<expr::LabelDecl> labels_;
  std::map<size_t, Member> members_;  // by the number of the node
};

}  // namespace tessera::optimizer
