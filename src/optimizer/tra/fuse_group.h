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

/// Who reads the nodes of a graph.
struct Readers {
  std::vector<std::vector<tra::NodeId>> nodes;  // by node: the nodes that read it, in order
  std::vector<bool> is_output;                  // by node: whether it is a result of the graph
};

Readers readers_of(const tra::Graph& graph);

/// By node: a number that nodes with equal kernels share, and 0 where there is no kernel.
std::vector<int64_t> number_kernels(const tra::Graph& graph);

/// What the kernel of a group and its largest call follow from, and much smaller than these.
struct GroupIdentity {
  std::vector<expr::LabelDecl> labels;
  std::vector<int64_t> lengths;  // of the largest call, by label
  std::vector<int64_t> members;  // their kernels and labels, one after the other, then operands

  size_t hash() const;
  friend bool operator==(const GroupIdentity&, const GroupIdentity&) = default;
};

/// Statements that could be run together, as one join with a kernel of several statements, so that
/// what one hands to the next stays in the cache.
///
/// A group starts with its last node, whose result is the group's, and grows towards the inputs:
/// nodes are added whose results only members read. A node may be added when
///   - it is a join or a transform: an aggregate over cut labels waits for tiles of other keys;
///   - no output is it, and all its readers are in the group: else its tiles are needed for others;
///   - its tiles correspond one to one to the group's: every dimension of more than one key is read
///     as a dimension of the group's key, all of which are read so. A tile that several of the
///     group's read would be computed several times;
///   - the group reads its modes as they are cut: a part of a mode that it has whole, or the other
///     way round, has other positions.
/// Hence the labels that a member reduces lie whole within a tile, or are cut as the result's key
/// says.
///
/// The kernel of the group has labels of its own. A label of an added node is the one by which the
/// members read that mode of its result. Labels that the result has not (those of its sums) get the
/// group's label of that name and extent, or a new one.
class FusionGroup {
 public:
  /// Borrows all; `kernels` are the numbers of the graph's. REQUIRES can_be_member(graph, last).
  FusionGroup(const tra::Graph& graph, const Readers& readers, const std::vector<int64_t>& kernels,
              tra::NodeId last);

  static bool can_be_member(const tra::Graph& graph, tra::NodeId node);

  /// Adds a node whose readers that are members were added before. Refused, the group is as it was.
  OrRefusal<Done> add(tra::NodeId node);

  bool has(tra::NodeId node) const { return members_.count(node.index()) != 0; }
  /// Members by their place in the graph; the last makes the result.
  std::vector<tra::NodeId> nodes() const;
  /// What all members compute, on inputs of the graph they are from.
  tra::Join join() const;
  /// Of groups of one graph equal ones have joins with equal kernels and equal largest calls.
  GroupIdentity identity() const;
  /// The last member's, named after all members.
  Origin origin() const;

 private:
  /// What a node is within the group: labels of its own under the group's names.
  struct Member {
    std::vector<tra::NodeId> inputs;
    std::vector<std::vector<std::string>> match;
    const expr::TileProgram* kernel;
    int64_t kernel_number;
    std::map<std::string, std::string> key_names;  // of its key labels that have several keys
    std::vector<expr::LabelNumber> labels;         // of the group, by label of its kernel
  };
  /// A place where a member reads another node.
  struct Read {
    const Member* reader;
    size_t input;           // which of the reader's
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
  std::vector<std::optional<int64_t>> longest_;  // by dimension of the key that counts pieces: one
  std::vector<expr::LabelDecl> labels_;
  std::map<size_t, Member> members_;  // by the number of the node
};

}  // namespace tessera::optimizer
