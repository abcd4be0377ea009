#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/einsum/program/resolved.h"

/// Facts about the nodes of a resolved statement that follow from those below them.
namespace tessera::frontend {

/// Calls visit(argument) for every node that a node is made from; a guard is none.
template <class Visit>
void for_each_argument(const ResolvedNode& node, Visit visit) {
  std::visit(
      Overload{[](const Among<Literal, ResolvedIndex, ResolvedSize, ResolvedParameter> auto&) {},
               [&](const ResolvedRead& read) {
                 for (const ModeIndex& mode : read.index) {
                   if (const auto* gather = std::get_if<GatherIndex>(&mode)) {
                     visit(gather->node);
                   }
                 }
               },
               [&](const ResolvedCall& call) {
                 for (const int32_t argument : call.arguments) {
                   visit(argument);
                 }
               },
               [&](const ResolvedCast& cast) { visit(cast.argument); },
               [&](const ResolvedReduction& reduction) { visit(reduction.argument); },
               [&](const ResolvedScan& scan) {
                 for (const int32_t argument : scan.arguments) {
                   visit(argument);
                 }
                 if (scan.segments) {
                   visit(*scan.segments);
                 }
               },
               [&](const ResolvedWhole& whole) {
                 for (const int32_t argument : whole.arguments) {
                   visit(argument);
                 }
               },
               [&](const ResolvedConcat& concat) {
                 for (const ResolvedConcat::Part& part : concat.parts) {
                   visit(part.argument);
                 }
               }},
      node.of);
}

/// The free labels of nodes: those that they read, without those that they bind.
class FreeLabels {
 public:
  explicit FreeLabels(const ResolvedExpression& statement) : statement_(statement) {}

  const std::set<LabelIndex>& of(int32_t node);

 private:
  const ResolvedExpression& statement_;
  std::map<int32_t, std::set<LabelIndex>> known_;
};

/// Nodes that compute the same value: their texts are equal. Labels of one name and one extent
/// count as the same label, because each runs over all positions.
class SameNodes {
 public:
  explicit SameNodes(const ResolvedExpression& statement) : statement_(statement) {}

  std::string text_of(int32_t node) { return std::to_string(number_of(node)); }

 private:
  /// Returns the number of the first node that computes the same value.
  int32_t number_of(int32_t node);
  std::string described(const ResolvedNode& node);
  std::string name_of(LabelIndex label) const;
  std::string names_of(const std::vector<LabelIndex>& labels) const;
  std::string text_of(const ModeIndex& mode);

  const ResolvedExpression& statement_;
  std::map<int32_t, int32_t> numbers_;
  std::map<std::string, int32_t> first_;  // by description
};

}  // namespace tessera::frontend
