#include "ir/tra/absent_tuples.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/overload.h"
#include "ir/tra/annihilation.h"
#include "ir/tra/keys.h"
#include "ir/tra/presence.h"

namespace tessera::tra {

namespace {

/// Makes a set of listed keys. REQUIRES keys of the key space.
KeySet listed(std::set<Key> keys, const std::vector<KeyDim>& dims) {
  return static_cast<int64_t>(keys.size()) == num_keys(dims) ? KeySet(AllKeys{})
                                                             : ListedKeys{std::move(keys)};
}

/// Returns "x makes something else of e".
std::string text_of_another_value(NodeId id, NodeId input, const expr::Monoid& monoid) {
  return fmt::format(
      "absent tuples of %{} stand for {}, as {} merges them, but %{} makes something else of that: "
      "keep all tuples, or filter the absent ones out of %{}",
      input.value, identity_text(monoid), monoid.name, id.value, id.value);
}

class JoinOfAbsent {
 public:
  JoinOfAbsent(NodeId id, const Join& join, const std::vector<AbsentTuples>& inputs,
               const expr::Monoid& monoid, const Relations& relations,
               const expr::FunctionRegistry& functions)
      : id_(id),
        join_(join),
        inputs_(inputs),
        monoid_(monoid),
        relations_(relations),
        functions_(functions),
        annihilation_(join.kernel, monoid, functions) {
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      dims_.push_back(matched_dims(join, input));
    }
  }

  AbsentTuples run() { return is_known() ? of_listed() : of_unknown(); }

 private:
  /// The state of an input's tuple for a key of the join.
  enum class Tuple : uint8_t { present, nobody_meant, identity, other };

  const KeySet& present_in(size_t input) const { return relations_(join_.inputs[input])->present; }

  bool is_known() const {
    const auto knows = [](const KeySet& keys) { return has_key(keys, {}).has_value(); };
    bool all = num_keys(join_.key) <= kMostListedKeys;
    for (size_t input = 0; input < inputs_.size(); ++input) {
      all = all && knows(present_in(input)) && knows(inputs_[input].identities) &&
            knows(inputs_[input].others);
    }
    return all;
  }

  AbsentTuples of_listed() {
    std::set<Key> identities;
    std::set<Key> others;
    std::string why;
    for (const Key& key : all_keys(join_.key)) {
      const std::vector<Tuple> tuples = tuples_at(key);
      if (is_whole_or_meant(tuples)) {
        continue;
      }
      if (gives_identity(tuples)) {
        identities.insert(key);
        continue;
      }
      others.insert(key);
      if (why.empty()) {
        why = reason(tuples, [&](size_t missing, size_t there) {
          return fmt::format("where {} is absent, {} goes unused", tuple_text(missing, key),
                             tuple_text(there, key));
        });
      }
    }
    return {listed(std::move(identities), join_.key), listed(std::move(others), join_.key), why};
  }

  std::vector<Tuple> tuples_at(const Key& key) const {
    std::vector<Tuple> tuples;
    for (size_t input = 0; input < inputs_.size(); ++input) {
      const Key matched = matched_key(key, dims_[input]);
      const auto is_in = [&](const KeySet& keys) { return has_key(keys, matched) == true; };
      tuples.push_back(is_in(present_in(input))           ? Tuple::present
                       : is_in(inputs_[input].others)     ? Tuple::other
                       : is_in(inputs_[input].identities) ? Tuple::identity
                                                          : Tuple::nobody_meant);
    }
    return tuples;
  }

  /// Returns the absent tuples if it is unknown which are: any tuple of a relation that may have
  /// absent ones may be absent, while those of the others are present.
  AbsentTuples of_unknown() {
    AbsentTuples result;
    for (size_t input = 0; input < inputs_.size(); ++input) {
      const AbsentTuples& absent = inputs_[input];
      std::vector<Tuple> tuples(inputs_.size(), Tuple::present);
      tuples[input] = has_all(present_in(input))     ? Tuple::present
                      : !has_none(absent.others)     ? Tuple::other
                      : !has_none(absent.identities) ? Tuple::identity
                                                     : Tuple::nobody_meant;
      if (is_whole_or_meant(tuples)) {
        continue;
      }
      result.identities = UnknownKeys{};
      if (!gives_identity(tuples) && result.why.empty()) {
        result.others = UnknownKeys{};
        result.why = reason(tuples, [&](size_t missing, size_t) {
          return fmt::format(
              "tuples of %{} may be absent, and those that should meet them go unused",
              join_.inputs[missing].value);
        });
      }
    }
    return result;
  }

  static bool is_whole_or_meant(const std::vector<Tuple>& tuples) {
    const auto all_are = [&](Tuple tuple) {
      return std::all_of(tuples.begin(), tuples.end(), [&](Tuple one) { return one == tuple; });
    };
    return all_are(Tuple::present) || all_are(Tuple::nobody_meant);
  }

  static bool is_identity(Tuple tuple) {
    switch (tuple) {
      case Tuple::present:
      case Tuple::other:
        return false;
      case Tuple::nobody_meant:
      case Tuple::identity:
        return true;
    }
    throw_error(ErrorKind::internal, "no such tuple: {}", static_cast<int>(tuple));
  }

  bool gives_identity(const std::vector<Tuple>& tuples) {
    std::vector<bool> operands;
    for (size_t input = 0; input < tuples.size(); ++input) {
      operands.insert(operands.end(), relations_(join_.inputs[input])->columns.size(),
                      is_identity(tuples[input]));
    }
    operands.resize(static_cast<size_t>(join_.kernel->num_inputs), false);  // a source is there
    const auto [known, fresh] = known_.try_emplace(operands, false);
    if (fresh) {
      known->second = annihilation_.holds(operands);
    }
    return known->second;
  }

  /// Returns why tuples that meet, some of them absent, do not give the identity.
  template <class MeetingText>
  std::string reason(const std::vector<Tuple>& tuples, MeetingText meeting) const {
    const auto first = [&](auto is) {
      return static_cast<size_t>(std::find_if(tuples.begin(), tuples.end(), is) - tuples.begin());
    };
    const size_t other = first([](Tuple tuple) { return tuple == Tuple::other; });
    if (other < tuples.size()) {
      return inputs_[other].why;
    }
    const size_t there = first([](Tuple tuple) { return tuple == Tuple::present; });
    const size_t missing = first([](Tuple tuple) { return tuple != Tuple::present; });
    return there < tuples.size() ? meeting(missing, there) + ": " + advice()
                                 : text_of_another_value(id_, join_.inputs[missing], monoid_);
  }

  std::string tuple_text(size_t input, const Key& key) const {
    const NodeId id = join_.inputs[input];
    return fmt::format("%{} {}", id.value,
                       to_string(matched_key(key, dims_[input]), relations_(id)->key));
  }

  /// True if a function of two states gives a state.
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
    // A kernel of a function that would be right may merge by another monoid first.
    const bool merges_otherwise =
        call != nullptr && std::find(works.begin(), works.end(), call->function) != works.end();
    const std::string what = call == nullptr || merges_otherwise ? "that" : call->function;
    return fmt::format(
        "under {} that is right only where the kernel gives its identity as soon as one argument "
        "is the identity, and {} of %{} does not; {}",
        monoid_.name, what, id_.value,
        works.empty() || merges_otherwise
            ? "keep all tuples"
            : fmt::format("{} would, or keep all tuples", fmt::join(works, ", ")));
  }

  NodeId id_;
  const Join& join_;
  const std::vector<AbsentTuples>& inputs_;
  const expr::Monoid& monoid_;
  const Relations& relations_;
  const expr::FunctionRegistry& functions_;
  Annihilation annihilation_;
  std::vector<std::vector<int>> dims_;
  std::map<std::vector<bool>, bool> known_;  // by operands that are the identity
};

}  // namespace

bool has_none(const KeySet& keys) {
  return std::visit(Overload{[](const AllKeys&) { return false; },
                             [](const ListedKeys& some) { return some.keys.empty(); },
                             [](const UnknownKeys&) { return false; }},
                    keys);
}

KeySet moved_keys(NodeId id, const Op& op, NodeId input, const KeySet& keys,
                  const Relations& relations) {
  if (has_none(keys)) {
    return keys;
  }
  RelationType from = *relations(input);
  from.present = keys;
  return present_of(op, *relations(id), [&](NodeId) { return &from; });
}

AbsentTuples absent_of_join(NodeId id, const Join& join, const std::vector<AbsentTuples>& inputs,
                            const expr::Monoid& monoid, const Relations& relations,
                            const expr::FunctionRegistry& functions) {
  return JoinOfAbsent(id, join, inputs, monoid, relations, functions).run();
}

AbsentTuples absent_of_transform(NodeId id, const Transform& transform, AbsentTuples input,
                                 const expr::Monoid& monoid, const Relations& relations,
                                 const expr::FunctionRegistry& functions) {
  const std::vector<bool> all(relations(transform.input)->columns.size(), true);
  if (has_none(input.identities) || Annihilation(transform.kernel, monoid, functions).holds(all)) {
    return input;
  }
  if (has_none(input.others)) {
    return {ListedKeys{}, input.identities, text_of_another_value(id, transform.input, monoid)};
  }
  return {ListedKeys{}, UnknownKeys{}, input.why};
}

std::string identity_text(const expr::Monoid& monoid) {
  std::vector<std::string> entries;
  for (const Literal& entry : monoid.identity) {
    entries.push_back(tessera::to_string(entry));
  }
  return entries.size() == 1 ? entries.front() : fmt::format("({})", fmt::join(entries, ","));
}

}  // namespace tessera::tra
