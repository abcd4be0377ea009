#include "frontend/einsum/program/node_facts.h"

#include <utility>

#include <fmt/format.h>

namespace tessera::frontend {

namespace {

using Labels = std::set<LabelIndex>;

void add(Labels& labels, const std::vector<LabelIndex>& others) {
  labels.insert(others.begin(), others.end());
}

void erase(Labels& labels, const std::vector<LabelIndex>& others) {
  for (const LabelIndex label : others) {
    labels.erase(label);
  }
}

/// Adds the labels that a node reads by itself to those of its arguments, and removes those that it
/// binds.
void add_own_labels(const ResolvedNode& node, Labels& labels) {
  std::visit(Overload{[](const Among<Literal, ResolvedSize, ResolvedParameter, ResolvedCall,
                                     ResolvedCast> auto&) {},
                      [&](const ResolvedRead& read) {
                        for (const ModeIndex& mode : read.index) {
                          for_each_label(mode, [&](LabelIndex label) { labels.insert(label); });
                        }
                      },
                      [&](const ResolvedIndex& index) { labels.insert(index.label); },
                      [&](const ResolvedReduction& reduction) { erase(labels, reduction.over); },
                      [&](const ResolvedScan& scan) { labels.insert(scan.along); },
                      [&](const ResolvedWhole& whole) {
                        add(labels, whole.core);
                        erase(labels, whole.over);
                      },
                      [&](const ResolvedConcat& concat) {
                        labels.insert(concat.along);
                        for (const ResolvedConcat::Part& part : concat.parts) {
                          labels.erase(part.along);
                        }
                      }},
             node.of);
}

}  // namespace

const std::set<LabelIndex>& FreeLabels::of(int32_t number) {
  if (const auto known = known_.find(number); known != known_.end()) {
    return known->second;
  }
  const ResolvedNode& node = statement_.nodes[static_cast<size_t>(number)];
  std::set<LabelIndex> labels;
  for_each_argument(node, [&](int32_t argument) {
    const std::set<LabelIndex>& below = of(argument);
    labels.insert(below.begin(), below.end());
  });
  add_own_labels(node, labels);
  return known_.emplace(number, std::move(labels)).first->second;
}

int32_t SameNodes::number_of(int32_t number) {
  if (const auto known = numbers_.find(number); known != numbers_.end()) {
    return known->second;
  }
  const std::string description = described(statement_.nodes[static_cast<size_t>(number)]);
  const int32_t first = first_.try_emplace(description, number).first->second;
  numbers_.emplace(number, first);
  return first;
}

std::string SameNodes::name_of(LabelIndex label) const {
  const StatementLabel& known = statement_.labels[static_cast<size_t>(label)];
  return fmt::format("{}={}", known.name, known.extent.value_or(0));
}

std::string SameNodes::names_of(const std::vector<LabelIndex>& labels) const {
  std::string names;
  for (const LabelIndex label : labels) {
    names += name_of(label) + ",";
  }
  return names;
}

std::string SameNodes::text_of(const ModeIndex& mode) {
  const auto terms = [&](const std::vector<IndexTerm>& all) {
    std::string text;
    for (const IndexTerm& term : all) {
      text += fmt::format("{}*{}+", term.coefficient, name_of(term.label));
    }
    return text;
  };
  return std::visit(Overload{[&](LabelIndex label) { return name_of(label); },
                             [&](const ComputedIndex& index) {
                               return fmt::format("{}|{}|{} {}", terms(index.position.labels),
                                                  terms(index.position.sizes),
                                                  index.position.offset, index.outside.index());
                             },
                             [&](const GatherIndex& gather) {
                               return fmt::format("@{} {}", number_of(gather.node),
                                                  gather.outside.index());
                             }},
                    mode);
}

/// Returns a description of a node, with its arguments by their numbers.
std::string SameNodes::described(const ResolvedNode& node) {
  std::string arguments;
  for_each_argument(
      node, [&](int32_t argument) { arguments += std::to_string(number_of(argument)) + " "; });
  const std::string own = std::visit(
      Overload{[](const Literal& literal) {
                 return fmt::format("{}:{}", literal.index(), to_string(literal));
               },
               [&](const ResolvedRead& read) {
                 std::string text = std::to_string(read.vertex.index());
                 for (const ModeIndex& mode : read.index) {
                   text += "[" + text_of(mode) + "]";
                 }
                 return text;
               },
               [&](const ResolvedIndex& index) { return "index " + name_of(index.label); },
               [&](const ResolvedSize& size) { return "size " + name_of(size.label); },
               [](const ResolvedParameter& parameter) {
                 return fmt::format("parameter {}", parameter.position);
               },
               [](const ResolvedCall& call) { return call.function; },
               [](const ResolvedCast& cast) {
                 return fmt::format("cast {}", cast.dtype ? static_cast<int>(*cast.dtype) : -1);
               },
               [&](const ResolvedReduction& reduction) {
                 return fmt::format("{} over {}", reduction.aggregate, names_of(reduction.over));
               },
               [&](const ResolvedScan& scan) {
                 return fmt::format("{} along {} {} {}", scan.aggregate, name_of(scan.along),
                                    scan.is_reverse, scan.is_exclusive);
               },
               [&](const ResolvedWhole& whole) {
                 return fmt::format("{} of {}", whole.function, names_of(whole.core));
               },
               [&](const ResolvedConcat& concat) {
                 return fmt::format("concat {}", name_of(concat.along));
               }},
      node.of);
  return (node.is_position ? "position " : "") + own + "(" + arguments + ")";
}

}  // namespace tessera::frontend
