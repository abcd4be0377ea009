#include "ir/tra/absence.h"

#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/overload.h"
#include "ir/tra/absent_tuples.h"
#include "ir/tra/keys.h"

namespace tessera::tra {

namespace {

/// Returns the keys of a relation that it has no tuple for.
KeySet absent_keys(const RelationType& type) {
  const auto others_than = [&](const ListedKeys& present) {
    std::set<Key> keys;
    for (const Key& key : all_keys(type.key)) {
      if (present.keys.count(key) == 0) {
        keys.insert(key);
      }
    }
    return present.keys.empty() ? KeySet(AllKeys{}) : ListedKeys{std::move(keys)};
  };
  return std::visit(Overload{[](const AllKeys&) -> KeySet { return ListedKeys{}; }, others_than,
                             [](const UnknownKeys&) -> KeySet { return UnknownKeys{}; }},
                    type.present);
}

/// A verifier that follows absent tuples from their origins, inputs and aggregates, up to an
/// aggregate.
class AbsenceVerifier {
 public:
  AbsenceVerifier(const Aggregate& reader, const Makers& makers, const Relations& relations,
                  const expr::FunctionRegistry& functions)
      : reader_(reader), makers_(makers), relations_(relations), functions_(functions) {}

  std::vector<std::string> run() {
    for (const NodeId id : below()) {
      absent_[id] = absent_of(id);
    }
    const AbsentTuples found = absent_in(reader_.input);
    return has_none(found.others) ? std::vector<std::string>{} : std::vector{found.why};
  }

 private:
  /// Returns the nodes with absent tuples that reach the aggregate, each after those that it reads.
  std::set<NodeId> below() const {
    std::set<NodeId> found;
    std::vector<NodeId> open = {reader_.input};
    while (!open.empty()) {
      const Maker maker = makers_(open.back());
      open.pop_back();
      if (!has_all(relations_(maker.id)->present) && found.insert(maker.id).second) {
        const std::vector<NodeId> from = absence_from(*maker.op);
        open.insert(open.end(), from.begin(), from.end());
      }
    }
    return found;
  }

  /// Returns the nodes whose absent tuples determine those of an operator.
  static std::vector<NodeId> absence_from(const Op& op) {
    using Nodes = std::vector<NodeId>;
    return std::visit(
        Overload{[](const Input&) { return Nodes{}; }, [](const Join& join) { return join.inputs; },
                 [](const Aggregate&) { return Nodes{}; },  // it is verified itself
                 [](const Rekey& rekey) { return Nodes{rekey.input}; },
                 [](const Filter& filter) { return Nodes{filter.input}; },
                 [](const Transform& transform) { return Nodes{transform.input}; },
                 [](const Tile& tile) { return Nodes{tile.input}; },
                 [](const Concat& concat) { return Nodes{concat.input}; },
                 [](const Repartition& repartition) { return Nodes{repartition.input}; },
                 [](const Scan&) { return Nodes{}; }},  // it makes every tuple
        op);
  }

  AbsentTuples absent_in(NodeId id) const {
    const auto found = absent_.find(makers_(id).id);
    return found == absent_.end() ? AbsentTuples{} : found->second;
  }

  AbsentTuples absent_of(NodeId id) const {
    const Op& op = *makers_(id).op;
    const auto moved = [&](NodeId input) {
      const AbsentTuples from = absent_in(input);
      return AbsentTuples{moved_keys(id, op, input, from.identities, relations_),
                          moved_keys(id, op, input, from.others, relations_), from.why};
    };
    return std::visit(
        Overload{[](const Input&) { return AbsentTuples{}; },
                 [&](const Join& join) { return of_join(id, join); },
                 [&](const Aggregate& aggregate) { return of_groups(id, aggregate); },
                 [&](const Rekey& rekey) { return moved(rekey.input); },
                 // A filter states that the tuples it leaves out are absent by design.
                 [&](const Filter& filter) { return moved(filter.input); },
                 [&](const Transform& transform) {
                   return absent_of_transform(id, transform, absent_in(transform.input),
                                              reader_.monoid, relations_, functions_);
                 },
                 [&](const Tile& tile) { return moved(tile.input); },
                 [&](const Concat& concat) { return moved(concat.input); },
                 [&](const Repartition& repartition) { return moved(repartition.input); },
                 [](const Scan&) { return AbsentTuples{}; }},
        op);
  }

  AbsentTuples of_join(NodeId id, const Join& join) const {
    std::vector<AbsentTuples> inputs;
    for (const NodeId input : join.inputs) {
      inputs.push_back(absent_in(input));
    }
    return absent_of_join(id, join, inputs, reader_.monoid, relations_, functions_);
  }

  /// Returns the absent groups, which stand for the identity of their aggregate.
  AbsentTuples of_groups(NodeId id, const Aggregate& aggregate) const {
    KeySet absent = absent_keys(*relations_(id));
    const bool is_same = aggregate.monoid.state == reader_.monoid.state &&
                         aggregate.monoid.identity == reader_.monoid.identity;
    return is_same
               ? AbsentTuples{std::move(absent), ListedKeys{}, ""}
               : AbsentTuples{ListedKeys{}, std::move(absent), problem_of_groups(id, aggregate)};
  }

  std::string problem_of_groups(NodeId id, const Aggregate& aggregate) const {
    return fmt::format(
        "{} has no tuple, which is {} under {} but {} under {}: keep a tuple in every group of "
        "%{}, "
        "or filter the empty ones out of it",
        group_text(id), identity_text(aggregate.monoid), aggregate.monoid.name,
        identity_text(reader_.monoid), reader_.monoid.name, id.value);
  }

  std::string group_text(NodeId id) const {
    const RelationType& type = *relations_(id);
    if (num_keys(type.key) <= kMostListedKeys) {
      for (const Key& key : all_keys(type.key)) {
        if (has_key(type.present, key) == false) {
          return fmt::format("group {} of %{}", to_string(key, type.key), id.value);
        }
      }
    }
    return fmt::format("some group of %{}, as far as is known,", id.value);
  }

  const Aggregate& reader_;
  const Makers& makers_;
  const Relations& relations_;
  const expr::FunctionRegistry& functions_;
  std::map<NodeId, AbsentTuples> absent_;
};

}  // namespace

std::vector<std::string> problems_of_absence(const Aggregate& aggregate, const Makers& makers,
                                             const Relations& relations,
                                             const expr::FunctionRegistry& functions) {
  return AbsenceVerifier(aggregate, makers, relations, functions).run();
}

}  // namespace tessera::tra
