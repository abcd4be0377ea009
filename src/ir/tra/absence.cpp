#include "ir/tra/absence.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/overload.h"
#include "ir/tra/key_predicate.h"
#include "ir/tra/keys.h"
#include "ir/tra/presence.h"

namespace tessera::tra {

namespace {

using Problems = std::vector<std::string>;

bool is_zero(const Literal& literal) {
  return std::visit([](const auto& value) { return value == decltype(+value){}; }, literal);
}

/// Whether a program makes the identity of a monoid of one state where some operands hold it.
class Annihilation {
 public:
  Annihilation(const expr::TileProgram& program, const expr::Monoid& monoid,
               const expr::FunctionRegistry& functions)
      : program_(program), monoid_(monoid), functions_(functions) {}

  bool holds(std::vector<bool> is_identity) const {
    if (monoid_.state.size() != 1) {
      return false;
    }
    bool last = false;
    for (const expr::TileStatement& statement : program_.statements) {
      last = true;
      for (const expr::Scalar& body : statement.bodies) {
        const bool is_kept = keeps_identity(statement) && is_identity_of(body, is_identity);
        is_identity.push_back(is_kept);
        last = last && is_kept;
      }
    }
    return last;
  }

 private:
  /// Identities that are merged give the identity.
  bool keeps_identity(const expr::TileStatement& statement) const {
    const expr::Monoid* monoid = expr::monoid_of(statement);
    return monoid == nullptr || monoid->name == monoid_.name;
  }

  bool is_identity_of(const expr::Scalar& body, const std::vector<bool>& operands) const {
    std::vector<bool> nodes;
    const auto at = [&](int32_t node) { return nodes[static_cast<size_t>(node)]; };
    for (const expr::Node& node : body.nodes) {
      nodes.push_back(std::visit(
          Overload{[](const expr::Constant&) { return false; },
                   [&](const expr::Access& access) {
                     return static_cast<bool>(operands[static_cast<size_t>(access.operand)]);
                   },
                   [](const expr::IndexOf&) { return false; },
                   [](const expr::Parameter&) { return false; },
                   [&](const expr::Call& call) {
                     return functions_.annihilates(call.function, monoid_.name, node.dtype) &&
                            std::any_of(call.arguments.begin(), call.arguments.end(), at);
                   },
                   [&](const expr::Cast& cast) {
                     const DType from = body.nodes[static_cast<size_t>(cast.argument)].dtype;
                     return at(cast.argument) && (is_zero(monoid_.identity.front()) ||
                                                  (is_float(from) && is_float(node.dtype)));
                   }},
          node.op));
    }
    return nodes.back();
  }

  const expr::TileProgram& program_;
  const expr::Monoid& monoid_;
  const expr::FunctionRegistry& functions_;
};

/// The join whose tuples an aggregate merges, past operators that only look at keys.
const Join* merged_join(const Aggregate& aggregate, const Operators& operators) {
  using Next = std::optional<NodeId>;
  const Join* join = nullptr;
  Next next = aggregate.input;
  while (next) {
    next = std::visit(Overload{[](const Input&) -> Next { return std::nullopt; },
                               [&](const Join& found) -> Next {
                                 join = &found;
                                 return std::nullopt;
                               },
                               [](const Aggregate&) -> Next { return std::nullopt; },
                               [](const Rekey& rekey) -> Next { return rekey.input; },
                               [](const Filter& filter) -> Next { return filter.input; },
                               [](const Transform&) -> Next { return std::nullopt; },
                               [](const Tile&) -> Next { return std::nullopt; },
                               [](const Concat&) -> Next { return std::nullopt; },
                               [](const Repartition&) -> Next { return std::nullopt; }},
                      *operators(*next));
  }
  return join;
}

class AbsenceVerifier {
 public:
  AbsenceVerifier(const Join& join, const expr::Monoid& monoid, const Relations& relations,
                  const expr::FunctionRegistry& functions)
      : join_(join),
        monoid_(monoid),
        relations_(relations),
        functions_(functions),
        annihilation_(join.kernel, monoid, functions) {
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      dims_.push_back(matched_dims(join, input));
    }
  }

  std::vector<std::string> run() {
    const bool is_known = num_keys(join_.key) <= kMostListedKeys &&
                          std::none_of(join_.inputs.begin(), join_.inputs.end(), [&](NodeId input) {
                            return !has_key(present_in(input), {}).has_value();
                          });
    return is_known ? of_listed() : of_unknown();
  }

 private:
  const KeySet& present_in(NodeId input) const { return relations_(input)->present; }

  /// By input, whether its tuple for a key of the join is absent.
  std::vector<std::string> of_listed() {
    for (const Key& key : all_keys(join_.key)) {
      std::vector<bool> absent;
      for (size_t input = 0; input < join_.inputs.size(); ++input) {
        absent.push_back(has_key(present_in(join_.inputs[input]), matched_key(key, dims_[input])) ==
                         false);
      }
      const auto missing = std::find(absent.begin(), absent.end(), true);
      const auto there = std::find(absent.begin(), absent.end(), false);
      if (missing != absent.end() && there != absent.end() && !is_right(absent)) {
        const auto place = [&](auto at) { return static_cast<size_t>(at - absent.begin()); };
        return {fmt::format("where {} is absent, {} goes unused: {}",
                            tuple_text(place(missing), key), tuple_text(place(there), key),
                            advice())};
      }
    }
    return {};
  }

  /// Any tuple of a relation that may have absent ones may be.
  std::vector<std::string> of_unknown() {
    for (size_t input = 0; join_.inputs.size() > 1 && input < join_.inputs.size(); ++input) {
      std::vector<bool> absent(join_.inputs.size(), false);
      absent[input] = !has_all(present_in(join_.inputs[input]));
      if (absent[input] && !is_right(absent)) {
        return {
            fmt::format("tuples of %{} may be absent, and those that should meet them go "
                        "unused: {}",
                        join_.inputs[input].value, advice())};
      }
    }
    return {};
  }

  bool is_right(const std::vector<bool>& absent) {
    const auto [known, fresh] = known_.try_emplace(absent, false);
    if (fresh) {
      std::vector<bool> operands;
      for (size_t input = 0; input < absent.size(); ++input) {
        operands.insert(operands.end(), relations_(join_.inputs[input])->columns.size(),
                        absent[input]);
      }
      known->second = annihilation_.holds(std::move(operands));
    }
    return known->second;
  }

  std::string tuple_text(size_t input, const Key& key) const {
    const NodeId id = join_.inputs[input];
    return fmt::format("%{} {}", id.value,
                       to_string(matched_key(key, dims_[input]), relations_(id)->key));
  }

  /// Whether a function of two states gives one.
  bool takes_states(const std::string& function) const {
    const DType state = monoid_.state.front();
    try {
      return functions_.find(function)->bind({state, state}).result == state;
    } catch (const Error&) {
      return false;  // it has no type for them
    }
  }

  std::string advice() const {
    std::vector<std::string> works;
    for (const std::string& name : functions_.names()) {
      if (functions_.annihilates(name, monoid_.name, monoid_.state.front()) && takes_states(name)) {
        works.push_back(name);
      }
    }
    const std::vector<expr::Node>& nodes = join_.kernel->statements.back().bodies.front().nodes;
    const auto* call = std::get_if<expr::Call>(&nodes.back().op);
    // A kernel of a function that would be right merges by another monoid before.
    const bool merges_otherwise =
        call != nullptr && std::find(works.begin(), works.end(), call->function) != works.end();
    return fmt::format(
        "under {} that is right only where the kernel gives its identity as soon as one argument "
        "is the identity, and {} does not; {}",
        monoid_.name, call == nullptr || merges_otherwise ? "this one" : call->function,
        works.empty() || merges_otherwise
            ? "keep all tuples"
            : fmt::format("{} would, or keep all tuples", fmt::join(works, ", ")));
  }

  const Join& join_;
  const expr::Monoid& monoid_;
  const Relations& relations_;
  const expr::FunctionRegistry& functions_;
  Annihilation annihilation_;
  std::vector<std::vector<int>> dims_;
  std::map<std::vector<bool>, bool> known_;
};

/// Finds groups of other aggregates that have no tuple and come to one that would take their
/// absence for its own identity.
class EmptyGroups {
 public:
  EmptyGroups(const Aggregate& reader, const Operators& operators, const Relations& relations)
      : reader_(reader), operators_(operators), relations_(relations) {}

  Problems run() {
    Problems problems;
    std::vector<NodeId> open = {reader_.input};
    std::set<NodeId> seen;
    while (!open.empty() && problems.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      if (!has_all(present_of(id)) && seen.insert(id).second) {
        problems = problems_of(id, open);
      }
    }
    return problems;
  }

 private:
  const KeySet& present_of(NodeId id) const { return relations_(id)->present; }

  /// Of one node; adds those that its absent tuples come from.
  Problems problems_of(NodeId id, std::vector<NodeId>& open) const {
    const Op& op = *operators_(id);
    const auto come_from_inputs = [&] {
      const std::vector<NodeId> inputs = inputs_of(op);
      open.insert(open.end(), inputs.begin(), inputs.end());
      return Problems{};
    };
    return std::visit(
        Overload{[](const Input&) { return Problems{}; },
                 [&](const Join&) { return come_from_inputs(); },
                 [&](const Aggregate& aggregate) {
                   return has_other_identity(aggregate) ? Problems{problem_of(id, aggregate)}
                                                        : Problems{};
                 },
                 [&](const Rekey&) { return come_from_inputs(); },
                 [&](const Filter& filter) {
                   return leaves_out_the_absent(filter) ? Problems{} : come_from_inputs();
                 },
                 [&](const Transform&) { return come_from_inputs(); },
                 [&](const Tile&) { return come_from_inputs(); },
                 [&](const Concat&) { return come_from_inputs(); },
                 [&](const Repartition&) { return come_from_inputs(); }},
        op);
  }

  bool has_other_identity(const Aggregate& aggregate) const {
    return aggregate.monoid.state != reader_.monoid.state ||
           aggregate.monoid.identity != reader_.monoid.identity;
  }

  /// Who filters says of every absent tuple that it is meant to be out.
  bool leaves_out_the_absent(const Filter& filter) const {
    const RelationType& type = *relations_(filter.input);
    if (num_keys(type.key) > kMostListedKeys) {
      return false;
    }
    const std::vector<Key> keys = all_keys(type.key);
    return std::all_of(keys.begin(), keys.end(), [&](const Key& key) {
      return has_key(type.present, key) == true || holds(filter.predicate, key) == false;
    });
  }

  std::string problem_of(NodeId id, const Aggregate& aggregate) const {
    return fmt::format(
        "{} has no tuple, which is {} under {} but {} under {}: keep a tuple in every group of "
        "%{}, "
        "or filter the empty ones out of it",
        group_text(id), identity_text(aggregate.monoid), aggregate.monoid.name,
        identity_text(reader_.monoid), reader_.monoid.name, id.value);
  }

  static std::string identity_text(const expr::Monoid& monoid) {
    std::vector<std::string> entries;
    for (const Literal& entry : monoid.identity) {
      entries.push_back(tessera::to_string(entry));
    }
    return entries.size() == 1 ? entries.front() : fmt::format("({})", fmt::join(entries, ","));
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
  const Operators& operators_;
  const Relations& relations_;
};

/// Of a join of present and absent tuples.
Problems problems_of_meeting(const Aggregate& aggregate, const Operators& operators,
                             const Relations& relations, const expr::FunctionRegistry& functions) {
  const Join* join = merged_join(aggregate, operators);
  const bool is_complete =
      join == nullptr || std::all_of(join->inputs.begin(), join->inputs.end(), [&](NodeId input) {
        return has_all(relations(input)->present);
      });
  return is_complete ? std::vector<std::string>{}
                     : AbsenceVerifier(*join, aggregate.monoid, relations, functions).run();
}

}  // namespace

std::vector<std::string> problems_of_absence(const Aggregate& aggregate, const Operators& operators,
                                             const Relations& relations,
                                             const expr::FunctionRegistry& functions) {
  std::vector<std::string> problems =
      problems_of_meeting(aggregate, operators, relations, functions);
  return problems.empty() ? EmptyGroups(aggregate, operators, relations).run() : problems;
}

}  // namespace tessera::tra
