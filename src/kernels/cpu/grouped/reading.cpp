#include "kernels/cpu/grouped/reading.h"

#include <algorithm>
#include <set>

#include "expr/function_ids.h"
#include "expr/guard.h"
#include "expr/scalar_part.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;
using expr::Scalar;
using expr::ScalarBuilder;

/// The body where(condition, value, identity) of a guarded element.
struct GuardedBody {
  int32_t condition = 0;
  int32_t value = 0;
};

std::optional<GuardedBody> guarded_body_of(const Scalar& body, const Literal& identity) {
  const auto* where = std::get_if<expr::Call>(&body.nodes.back().op);
  if (where == nullptr || where->function != expr::id::kWhere) {
    return std::nullopt;
  }
  const auto* otherwise =
      std::get_if<expr::Constant>(&body.nodes[static_cast<size_t>(where->arguments[2])].op);
  const bool is_identity = otherwise != nullptr && same_bits(otherwise->value, identity);
  return is_identity ? std::optional(GuardedBody{where->arguments[0], where->arguments[1]})
                     : std::nullopt;
}

/// A body without its guard, with every group replaced by the row's value of it.
struct UnguardedBody {
  std::vector<expr::Grouping> groups;
  std::vector<Scalar> numbers;  // of the groups
  std::optional<Scalar> condition;
  Scalar value;
};

class Unguarding {
 public:
  Unguarding(const Scalar& body, const std::vector<LabelNumber>& out) : body_(body), out_(out) {}

  OrRefusal<UnguardedBody> run(const GuardedBody& guarded) && {
    for (const int32_t term : expr::conjunction_of(body_, guarded.condition)) {
      read_term(term);
    }
    if (result_.groups.empty()) {
      return Refusal{"no label of the result has to be a value of the elements"};
    }
    if (std::optional<Refusal> refusal = copy_nodes()) {
      return std::move(*refusal);
    }
    std::optional<int32_t> condition;
    for (const int32_t term : others_) {
      const int32_t next = copy_[static_cast<size_t>(term)];
      condition =
          condition ? builder_.call(expr::id::kLogicalAnd, {*condition, next}, DType::b1) : next;
    }
    if (condition) {
      result_.condition = builder_.finish(*condition);
    }
    result_.value = builder_.finish(copy_[static_cast<size_t>(guarded.value)]);
    return std::move(result_);
  }

 private:
  void read_term(int32_t term) {
    const std::optional<expr::Grouping> grouping = expr::grouping_of(body_, term, out_);
    const bool is_known = grouping && number_of(grouping->label);
    const bool is_whole = grouping && dtype_of(grouping->value) == DType::i64;
    if (grouping && !is_known && is_whole) {
      result_.groups.push_back(*grouping);
    } else {
      others_.push_back(term);
    }
  }

  DType dtype_of(int32_t node) const { return body_.nodes[static_cast<size_t>(node)].dtype; }

  std::optional<size_t> number_of(LabelNumber label) const {
    const auto found =
        std::find_if(result_.groups.begin(), result_.groups.end(),
                     [&](const expr::Grouping& group) { return group.label == label; });
    return found == result_.groups.end()
               ? std::nullopt
               : std::optional(static_cast<size_t>(found - result_.groups.begin()));
  }

  std::optional<Refusal> copy_nodes() {
    for (const expr::Grouping& group : result_.groups) {
      result_.numbers.push_back(part_of(body_, group.value));
      for (const LabelNumber label : expr::labels_below(body_, group.value)) {
        if (number_of(label)) {
          return Refusal{"a group depends on a group"};
        }
      }
      positions_.push_back(builder_.inline_scalar(result_.numbers.back(), {}));
    }
    for (const expr::Node& node : body_.nodes) {
      expr::Node copy = expr::with_arguments(node, copy_);
      const auto* index = std::get_if<expr::IndexOf>(&copy.op);
      if (const auto group = index == nullptr ? std::nullopt : number_of(index->label)) {
        copy_.push_back(positions_[*group]);
        continue;
      }
      if (auto* access = std::get_if<expr::Access>(&copy.op)) {
        if (std::optional<Refusal> refusal = gather_groups(*access)) {
          return refusal;
        }
      }
      copy_.push_back(builder_.add(std::move(copy)));
    }
    return std::nullopt;
  }

  /// Gathers modes that are read at a group: they are read at the row's position.
  std::optional<Refusal> gather_groups(expr::Access& access) {
    for (expr::Index& index : access.index) {
      std::optional<size_t> group;
      expr::for_each_label(index,
                           [&](LabelNumber label) { group = group ? group : number_of(label); });
      if (group && !expr::is_plain(index)) {
        return Refusal{"a group is read through a window"};
      }
      if (group) {
        index = expr::GatheredIndex{positions_[*group], expr::Inside{}};
      }
    }
    return std::nullopt;
  }

  const Scalar& body_;
  const std::vector<LabelNumber>& out_;
  UnguardedBody result_;
  std::vector<int32_t> others_;  // terms that are no groupings
  ScalarBuilder builder_;
  std::vector<int32_t> positions_;  // of the groups, in the builder
  std::vector<int32_t> copy_;       // of the body's nodes, in the builder
};

/// Returns, by node, true if the value of an expression depends on it directly, and not only as a
/// position of another read.
std::vector<bool> nodes_of_value(const Scalar& value) {
  std::vector<bool> counts(value.nodes.size(), false);
  counts.back() = true;
  for (size_t number = value.nodes.size(); number-- > 0;) {
    if (counts[number] && expr::is_computed(value.nodes[number])) {
      expr::for_each_argument(value.nodes[number], [&](int32_t argument) {
        counts[static_cast<size_t>(argument)] = true;
      });
    }
  }
  return counts;
}

/// A rewriter that takes leaves out of expressions, and makes a stage of every gathered position.
class Staging {
 public:
  explicit Staging(GroupedProgram& to) : to_(to) {}

  OrRefusal<size_t> stage_of(Scalar value) {
    const auto known = std::find(sources_.begin(), sources_.end(), value);
    if (known != sources_.end()) {
      return stage_of_source_[static_cast<size_t>(known - sources_.begin())];
    }
    LeafExpressions stage;
    if (std::optional<Refusal> refusal = add(value, stage)) {
      return std::move(*refusal);
    }
    stage.source = value;
    to_.stages.push_back(std::move(stage));
    sources_.push_back(std::move(value));
    stage_of_source_.push_back(to_.stages.size() - 1);
    return to_.stages.size() - 1;
  }

  std::optional<Refusal> add(const Scalar& value, LeafExpressions& to) {
    ScalarBuilder builder;
    std::vector<int32_t> copy;
    const std::vector<bool> counts = nodes_of_value(value);
    for (const expr::Node& node : value.nodes) {
      if (!counts[copy.size()]) {
        copy.push_back(-1);  // it is in a stage
        continue;
      }
      if (expr::is_computed(node) || std::holds_alternative<expr::Constant>(node.op)) {
        copy.push_back(builder.add(expr::with_arguments(node, copy)));
        continue;
      }
      OrRefusal<GroupedLeaf> leaf = leaf_of(node, value);
      if (!leaf) {
        return leaf.refusal();
      }
      const auto known = std::find(to.leaves.begin(), to.leaves.end(), *leaf);
      const auto number = static_cast<int32_t>(known - to.leaves.begin());
      if (known == to.leaves.end()) {
        to.leaves.push_back(*leaf);
      }
      copy.push_back(builder.parameter(number, node.dtype));
    }
    to.bodies.push_back(builder.finish(copy.back()));
    return std::nullopt;
  }

 private:
  OrRefusal<GroupedLeaf> leaf_of(const expr::Node& node, const Scalar& value) {
    GroupedLeaf leaf{{}, {}, node.dtype};
    if (const auto* index = std::get_if<expr::IndexOf>(&node.op)) {
      leaf.what = *index;
      return leaf;
    }
    expr::Access access = std::get<expr::Access>(node.op);
    for (expr::Index& index : access.index) {
      leaf.stages.emplace_back();
      auto* gathered = std::get_if<expr::GatheredIndex>(&index);
      if (gathered == nullptr && !expr::is_linear(index)) {
        return Refusal{"it reads no index that is divided or has a boundary"};
      }
      if (gathered == nullptr) {
        continue;
      }
      if (std::holds_alternative<expr::Pad>(gathered->outside)) {
        return Refusal{"it gathers nothing that is padded with a number"};
      }
      ScalarBuilder position;
      const int32_t own = position.inline_scalar(part_of(value, gathered->node), {});
      OrRefusal<size_t> stage = stage_of(position.finish(position.cast(own, DType::i64)));
      if (!stage) {
        return stage.refusal();
      }
      leaf.stages.back() = *stage;
      gathered->node = 0;  // it is in the stage
    }
    leaf.what = std::move(access);
    return leaf;
  }

  GroupedProgram& to_;
  std::vector<Scalar> sources_;
  std::vector<size_t> stage_of_source_;
};

void add_labels(const LeafExpressions& expressions, std::set<LabelNumber>& labels) {
  for (const GroupedLeaf& leaf : expressions.leaves) {
    std::visit(Overload{[&](const expr::IndexOf& index) { labels.insert(index.label); },
                        [&](const expr::Access& access) {
                          for (const expr::Index& index : access.index) {
                            expr::for_each_label(index,
                                                 [&](LabelNumber label) { labels.insert(label); });
                          }
                        }},
               leaf.what);
  }
}

/// Sorts labels: the last label of the result that no stage needs is the inner one; all others
/// belong to rows.
void sort_labels(const expr::TileStatement& statement, GroupedProgram& to) {
  std::set<LabelNumber> taken;
  for (const LeafExpressions& stage : to.stages) {
    add_labels(stage, taken);
  }
  for (const RowGroup& group : to.groups) {
    taken.insert(group.label);
  }
  for (const LabelNumber label : statement.out) {
    if (!taken.contains(label)) {
      to.inner = label;
    }
  }
  for (const auto* labels : {&statement.out, &expr::reduced_labels(statement)}) {
    for (const LabelNumber label : *labels) {
      const bool is_group = std::any_of(to.groups.begin(), to.groups.end(),
                                        [&](const RowGroup& own) { return own.label == label; });
      if (!is_group && label != to.inner) {
        to.rows.push_back(label);
      }
    }
  }
}

/// Returns the bodies of a statement without their guard, which all of them share.
OrRefusal<std::vector<UnguardedBody>> unguarded(const expr::TileStatement& statement,
                                                const expr::Monoid& monoid) {
  std::vector<UnguardedBody> bodies;
  std::optional<Scalar> condition;
  for (size_t entry = 0; entry < statement.bodies.size(); ++entry) {
    const Scalar& body = statement.bodies[entry];
    const std::optional<GuardedBody> guarded = guarded_body_of(body, monoid.identity[entry]);
    if (!guarded) {
      return Refusal{"elements are not left out by a condition"};
    }
    Scalar own = part_of(body, guarded->condition);
    if (condition && !(*condition == own)) {
      return Refusal{"states are merged under different conditions"};
    }
    condition = std::move(own);
    OrRefusal<UnguardedBody> made = Unguarding(body, statement.out).run(*guarded);
    if (!made) {
      return made.refusal();
    }
    bodies.push_back(std::move(*made));
  }
  return bodies;
}

}  // namespace

OrRefusal<GroupedProgram> grouped_program_of(const expr::TileProgram& program) {
  const expr::TileStatement& statement = program.statements[0];
  const expr::Reduce* reduce = expr::reduction_of(statement);
  if (reduce == nullptr || statement.bodies.empty()) {
    return Refusal{"nothing is reduced"};
  }
  const OrRefusal<std::vector<UnguardedBody>> bodies = unguarded(statement, reduce->monoid);
  if (!bodies) {
    return bodies.refusal();
  }
  GroupedProgram made;
  Staging staging(made);
  const UnguardedBody& first = bodies->front();
  for (size_t group = 0; group < first.groups.size(); ++group) {
    const OrRefusal<size_t> stage = staging.stage_of(first.numbers[group]);
    if (!stage) {
      return stage.refusal();
    }
    made.groups.push_back({first.groups[group].label, *stage, first.groups[group].num_groups});
  }
  if (first.condition) {
    const OrRefusal<size_t> stage = staging.stage_of(*first.condition);
    if (!stage) {
      return stage.refusal();
    }
    made.condition = *stage;
  }
  made.num_stages_of_all = made.stages.size();
  for (const UnguardedBody& body : *bodies) {
    if (std::optional<Refusal> refusal = staging.add(body.value, made.values)) {
      return std::move(*refusal);
    }
  }
  sort_labels(statement, made);
  return made;
}

}  // namespace tessera::kernels
