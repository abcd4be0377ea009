// Long because there is a function for every operator of the algebra, and their shared parts.
#include "placement/two_phase/pilot.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "ir/tra/keys.h"
#include "ir/tra/part_lists.h"
#include "ir/tra/presence.h"
#include "placement/two_phase/costs.h"
#include "placement/two_phase/joins.h"
#include "placement/two_phase/parts.h"
#include "plan/closedness.h"
#include "plan/needed_keys.h"

namespace tessera::placement::two_phase {

namespace {

using KeySpace = std::vector<tra::KeyDim>;

/// A tuple that no result needs, and its inputs.
struct Idle {
  int32_t tuple;
  std::vector<Operand> operands;
};

class Pilot {
 public:
  Pilot(const ia::Graph& graph, const Cluster& cluster, const kernels::Context& context,
        const Method& method)
      : graph_(graph),
        num_sites_(cluster.num_sites),
        context_(context),
        method_(method),
        workers_(cluster.workers),
        costs_(context, cluster.workers),
        needed_(plan::needed_keys(graph)),
        is_merged_(merged_joins(graph)),
        piloted_{
            Tuples(cluster.num_sites), std::vector<TuplesByKey>(graph.nodes.size()), {}, {}, {}} {}

  Piloted run() && {
    for (size_t number = 0; number < graph_.nodes.size(); ++number) {
      id_ = ia::NodeId(static_cast<int64_t>(number));
      const tra::Op* op = ia::local_op(node());
      TESSERA_CHECK(op != nullptr && graph_.num_sites == 1, "a pilot runs where nothing moves");
      std::visit(*this, *op);
    }
    settle_idle();
    return std::move(piloted_);
  }

  // ---- one function per operator

  void operator()(const tra::Input&) {
    for (const tra::Key& key : tra::all_keys(node().type.key)) {
      const bool is_there = tra::has_key(node().type.present, key) != false;
      made().push_back(is_there ? tuples().add() : kNoTuple);
    }
  }

  void operator()(const tra::Join& join) {
    if (!is_merged_[id_.index()]) {
      planned(joined(join));
    }
  }

  /// Returns the join groups of the current node.
  Statement joined(const tra::Join& join) {
    Statement statement(tuples(), num_sites_, costs_.of_calls(join.kernel, join.key, node().type),
                        join.key);
    const std::vector<Reading> readings = readings_of(join);
    const std::vector<size_t> shared = shared_dims(join);
    std::vector<Operand> operands;
    size_t number = 0;
    for (const tra::Key& key : tra::all_keys(join.key)) {
      operands.clear();
      for (const Reading& reading : readings) {
        operands.push_back(reading.of(number));
      }
      add_made(statement, key, operands, number_along(key, join.key, shared));
      ++number;
    }
    return statement;
  }

  void operator()(const tra::Transform& transform) {
    Statement statement(tuples(), num_sites_,
                        costs_.of_calls(transform.kernel, node().type.key, node().type),
                        node().type.key);
    const int64_t cost = costs_.send(graph_.at(transform.input).type);
    size_t number = 0;
    for (const tra::Key& key : tra::all_keys(node().type.key)) {
      const int32_t read = tuples_of(transform.input)[number];
      add_made(statement, key, {{read, cost}}, static_cast<int64_t>(number++));
    }
    planned(std::move(statement));
  }

  void operator()(const tra::Aggregate& aggregate) {
    if (!is_merged_[aggregate.input.index()]) {
      return merge(aggregate.input);
    }
    const auto& join = std::get<tra::Join>(*ia::local_op(graph_.at(aggregate.input)));
    if (std::optional<MergedJoin> merged = merged_join(join, aggregate)) {
      return merge_parts(*merged, aggregate.input);
    }
    const ia::NodeId id = std::exchange(id_, aggregate.input);
    Statement statement = joined(join);
    id_ = id;
    merge_joins(statement, aggregate.input);
    planned(std::move(statement));
  }
  void operator()(const tra::Concat& concat) { merge(concat.input); }
  void operator()(const tra::Tile& tile) { cut(tile.input); }
  void operator()(const tra::Repartition& repartition) {
    const bool is_cut = tra::refines(node().type.key, graph_.at(repartition.input).type.key);
    is_cut ? cut(repartition.input) : merge(repartition.input);
  }

  /// Brings together the tuples that one scan result merges, and makes all of their group there; if
  /// the scan walks, only those of a step.
  void operator()(const tra::Scan& scan) {
    if (scan.walks()) {
      return planned(joined(tra::steps_of(scan, node().type.key)));
    }
    const tra::RelationType& type = graph_.at(scan.input).type;
    const KeySpace groups = tra::key_without(type.key, scan.along);
    const std::vector<int64_t> group_of = tra::Coarsening(type.key, groups).numbers();
    std::vector<std::vector<int32_t>> parts(static_cast<size_t>(tra::num_keys(groups)));
    const std::vector<bool> is_merged = tra::merged_keys(type.key, scan);
    for (size_t number = 0; number < group_of.size(); ++number) {
      if (is_merged[number]) {
        parts[static_cast<size_t>(group_of[number])].push_back(tuples_of(scan.input)[number]);
      }
    }
    const auto of_group =
        costs_.merge(type) * static_cast<int64_t>(parts.empty() ? 0 : parts[0].size());
    Statement statement(tuples(), num_sites_, {of_group, 0, 0}, groups);
    TuplesByKey of_groups;
    for (const tra::Key& key : tra::all_keys(groups)) {
      const size_t number = of_groups.size();
      of_groups.push_back(tuples().add());
      statement.add_join(of_groups.back(), key, operands_of(parts[number], costs_.send(type)),
                         static_cast<int64_t>(number));
    }
    planned(std::move(statement));
    for (const int64_t group : group_of) {
      made().push_back(view_of(of_groups[static_cast<size_t>(group)]));
    }
  }

  void operator()(const tra::Filter& filter) {
    const std::vector<bool> kept = plan::keys_kept(filter.predicate, node().type.key, context_);
    for (size_t number = 0; number < kept.size(); ++number) {
      made().push_back(kept[number] ? view_of(tuples_of(filter.input)[number]) : kNoTuple);
    }
  }

  /// The check that the new keys are distinct comes when tasks are made.
  void operator()(const tra::Rekey& rekey) {
    const KeySpace& from = graph_.at(rekey.input).type.key;
    made().assign(static_cast<size_t>(tra::num_keys(node().type.key)), kNoTuple);
    size_t number = 0;
    for (const tra::Key& key : tra::all_keys(from)) {
      const int32_t tuple = tuples_of(rekey.input)[number++];
      const tra::Key new_key = tra::mapped_key(from, key, rekey.key);
      if (tuple != kNoTuple && tra::is_key(new_key, node().type.key)) {
        made()[tra::number_of(new_key, node().type.key)] = view_of(tuple);
      }
    }
  }

 private:
  /// A join's access to an input.
  struct Reading {
    const TuplesByKey* tuples;
    std::vector<int64_t> numbers;  // of its tuples, by the number of the join's key
    int64_t cost;                  // of sending a tuple

    Operand of(size_t join) const { return {(*tuples)[static_cast<size_t>(numbers[join])], cost}; }
  };

  const ia::Node& node() const { return graph_.at(id_); }
  Tuples& tuples() { return piloted_.tuples; }
  const TuplesByKey& tuples_of(ia::NodeId id) const { return piloted_.by_node[id.index()]; }
  TuplesByKey& made() { return piloted_.by_node[id_.index()]; }

  bool is_needed(const tra::Key& key) const {
    const plan::NeededKeys& needed = needed_[id_.index()];
    return !needed || needed->count(key) != 0;
  }

  int32_t view_of(int32_t tuple) { return tuple == kNoTuple ? kNoTuple : tuples().add_view(tuple); }

  std::vector<Reading> readings_of(const tra::Join& join) {
    std::vector<Reading> readings;
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      const tra::RelationType& type = graph_.at(join.inputs[input]).type;
      readings.push_back({&tuples_of(join.inputs[input]),
                          tra::matched_numbers(join.key, tra::matched_dims(join, input), type.key),
                          costs_.send(type)});
    }
    return readings;
  }

  /// Adds the tuple for the next key of this node, if all operands are present; also a join group
  /// if some result needs it.
  void add_made(Statement& statement, const tra::Key& key, const std::vector<Operand>& operands,
                int64_t dealt_by) {
    const bool is_there =
        std::none_of(operands.begin(), operands.end(),
                     [](const Operand& operand) { return operand.tuple == kNoTuple; });
    made().push_back(is_there ? tuples().add() : kNoTuple);
    if (is_there && is_needed(key)) {
      statement.add_join(made().back(), key, operands, dealt_by);
    } else if (is_there) {
      idle_.push_back({made().back(), operands});
    }
  }

  /// Cuts an input: the pieces are views.
  void cut(ia::NodeId input) {
    const tra::Coarsening whole_of(node().type.key, graph_.at(input).type.key);
    for (const int64_t whole : whole_of.numbers()) {
      made().push_back(view_of(tuples_of(input)[static_cast<size_t>(whole)]));
    }
  }

  /// Returns, by tuples of this node, the input tuples that become part of it.
  std::vector<std::vector<int32_t>> parts_of(ia::NodeId input) const {
    const auto lists = tra::PartLists::merged(graph_.at(input).type.key, node().type.key);
    std::vector<std::vector<int32_t>> parts(static_cast<size_t>(tra::num_keys(node().type.key)));
    for (size_t number = 0; number < parts.size(); ++number) {
      for (const int64_t part : lists.of(number)) {
        const int32_t tuple = tuples_of(input)[static_cast<size_t>(part)];
        if (tuple != kNoTuple) {
          parts[number].push_back(tuple);
        }
      }
    }
    return parts;
  }

  static std::vector<Operand> operands_of(const std::vector<int32_t>& tuples, int64_t cost) {
    std::vector<Operand> operands;
    for (const int32_t tuple : tuples) {
      operands.push_back({tuple, cost});
    }
    return operands;
  }

  /// Brings present tuples together where one is made of them.
  void merge(ia::NodeId input) {
    const std::vector<std::vector<int32_t>> parts = parts_of(input);
    const tra::RelationType& type = graph_.at(input).type;
    const int64_t each = costs_.merge(type);
    const auto of_group =
        each * static_cast<int64_t>(tra::num_keys(type.key) / std::max<size_t>(parts.size(), 1));
    Statement statement(tuples(), num_sites_, {of_group, 0, 0}, node().type.key);
    size_t number = 0;
    for (const tra::Key& key : tra::all_keys(node().type.key)) {
      if (parts[number].empty()) {
        made().push_back(kNoTuple);
      } else {
        add_made(statement, key, operands_of(parts[number], costs_.send(type)),
                 static_cast<int64_t>(number));
      }
      ++number;
    }
    planned(std::move(statement));
  }

  /// Adds the aggregation groups of a join.
  void merge_joins(Statement& statement, ia::NodeId joined) {
    const std::vector<std::vector<int32_t>> parts = parts_of(joined);
    size_t number = 0;
    for (const tra::Key& key : tra::all_keys(node().type.key)) {
      const std::vector<int32_t>& results = parts[number];
      made().push_back(results.empty() ? kNoTuple : tuples().add());
      if (!results.empty() && is_needed(key)) {
        statement.add_group(made().back(), results, static_cast<int64_t>(number));
      } else if (!results.empty()) {
        idle_.push_back({made().back(), operands_of(results, 0)});
      }
      ++number;
    }
  }

  // ---- joins that are merged in parts

  /// Returns a join and its aggregate if runs of join groups may be merged first: all tuples are
  /// present and needed, in any order, and no mode is cut by a summed dimension.
  std::optional<MergedJoin> merged_join(const tra::Join& join, const tra::Aggregate& aggregate) {
    const tra::RelationType& joined = graph_.at(aggregate.input).type;
    const bool is_ordered = graph_.is_reproducible && aggregate.order == tra::MergeOrder::tree;
    const bool is_free = method_.merges_parts && !is_ordered && aggregate.coarser.empty() &&
                         !needed_[aggregate.input.index()] && has_runs(joined, node().type);
    MergedJoin merged{join.key, node().type.key, join.inputs.size(), {}, {}, workers_};
    if (!is_free || !add_operands(join, merged.operands)) {
      return std::nullopt;
    }
    merged.costs = costs_.of_calls(join.kernel, join.key, joined);
    return merged;
  }

  /// Adds the operands of all join groups. Returns false if some tuple is absent.
  bool add_operands(const tra::Join& join, std::vector<Operand>& operands) {
    const std::vector<Reading> readings = readings_of(join);
    for (const Reading& reading : readings) {
      const TuplesByKey& tuples = *reading.tuples;
      if (std::find(tuples.begin(), tuples.end(), kNoTuple) != tuples.end()) {
        return false;
      }
    }
    const auto num_joins = static_cast<size_t>(tra::num_keys(join.key));
    operands.reserve(num_joins * readings.size());
    for (size_t number = 0; number < num_joins; ++number) {
      for (const Reading& reading : readings) {
        operands.push_back(reading.of(number));
      }
    }
    return true;
  }

  void add_made_tuples(TuplesByKey& made, size_t count) {
    for (size_t number = 0; number < count; ++number) {
      made.push_back(tuples().add());
    }
  }

  /// Plans the aggregate by the runs that make the cheapest plan.
  void merge_parts(const MergedJoin& join, ia::NodeId joined) {
    add_made_tuples(made(), static_cast<size_t>(tra::num_keys(join.group_key)));
    const PlannedParts planned =
        cheapest_parts(join, tuples(), num_sites_,
                       {method_.sketch ? method_.sketch : method_.solve, method_.solve}, made());
    apply(planned.parts, planned.plan, joined);
  }

  void apply(const Parts& parts, const Plan& plan, ia::NodeId joined) {
    const std::vector<int32_t>& part_of_join = parts.part_of_join();
    add_made_tuples(piloted_.by_node[joined.index()], part_of_join.size());
    const auto first = static_cast<int32_t>(tuples().size());
    TuplesByKey partial;
    if (parts.num_of_group() > 1) {
      add_made_tuples(partial, made().size() * static_cast<size_t>(parts.num_of_group()));
    }
    Statement statement = parts.statement(tuples(), num_sites_, first, made());
    const Plan known = statement.solved([&](const Problem&) { return plan; });
    note(statement, known);
    for (size_t join = 0; join < part_of_join.size(); ++join) {
      const auto part = static_cast<size_t>(part_of_join[join]);
      tuples().settle(tuples_of(joined)[join],
                      tuples().home(partial.empty() ? made()[part] : partial[part]));
    }
    if (!partial.empty()) {
      piloted_.partial[id_] = {parts.dims(), std::move(partial)};
    }
    if (const Runs runs = parts.runs_of_workers(num_sites_); runs != parts.runs()) {
      piloted_.of_workers[id_] = parts.dims_of(runs);
    }
  }

  // ---- planning

  void planned(Statement statement) { note(statement, statement.solved(method_.solve)); }

  void note(Statement& statement, const Plan& plan) {
    const Problem& problem = statement.problem();
    if (problem.num_joins() == 0) {
      return;
    }
    const Cost cost = cost_of(problem, plan);
    Totals& totals = piloted_.totals;
    totals.num_joins += problem.num_joins();
    totals.num_groups += problem.merges ? problem.num_groups() : 0;
    totals.cost.send += cost.send;
    totals.cost.join += cost.join;
    totals.cost.collect += cost.collect;
    totals.cost.merge += cost.merge;
    statement.apply(plan);
  }

  int32_t settled(int32_t tuple) {
    tuples().settle(tuple, tuple % num_sites_);
    return tuples().home(tuple);
  }

  /// Gives unneeded tuples a site: that of a scan that merges all; else that of the first operand,
  /// in turn without one.
  void settle_idle() {
    for (const auto& [tuple, operands] : idle_) {
      tuples().settle(tuple, settled(operands.empty() ? tuple : operands.front().tuple));
      for (const Operand& operand : operands) {
        settled(operand.tuple);
        tuples().need(operand.tuple, tuples().home(tuple));
      }
    }
    for (int32_t tuple = 0; static_cast<size_t>(tuple) < tuples().size(); ++tuple) {
      settled(tuple);
    }
  }

  const ia::Graph& graph_;
  const int32_t num_sites_;
  const kernels::Context& context_;
  const Method& method_;
  const int64_t workers_;
  GroupCosts costs_;
  const std::vector<plan::NeededKeys> needed_;
  const std::vector<bool> is_merged_;  // true if only an aggregate reads it
  std::vector<Idle> idle_;
  Piloted piloted_;
  ia::NodeId id_;  // of the current node
};

}  // namespace

Piloted pilot(const ia::Graph& graph, const Cluster& cluster, const kernels::Context& context,
              const Method& method) {
  return Pilot(graph, cluster, context, method).run();
}

}  // namespace tessera::placement::two_phase
