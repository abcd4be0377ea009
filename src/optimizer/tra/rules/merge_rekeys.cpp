#include <cstdint>
#include <map>
#include <utility>

#include "ir/tra/infer.h"
#include "optimizer/tra/rule.h"

namespace tessera::optimizer::rule_merge_rekeys {

namespace {

/// The largest number of a key map (ir/tra/verify.cpp).
constexpr int64_t kLargestNumber = int64_t{1} << 31;

bool add_product(int64_t& sum, int64_t one, int64_t other) {
  const int64_t product = one * other;  // of numbers up to 2^31
  sum += product;
  return std::abs(product) <= kLargestNumber && std::abs(sum) <= kLargestNumber;
}

/// Composes one dimension of the second key over the first relation's; nothing if numbers get too
/// large.
std::optional<tra::KeyExpression> composed(const tra::KeyExpression& second,
                                           const tra::Rekey& first) {
  tra::KeyExpression made{second.label, {}, second.offset};
  std::map<std::string, int64_t> coefficients;
  bool fits = true;
  for (const tra::KeyExpression::Term& term : second.terms) {
    for (const tra::KeyExpression& inner : first.key) {
      if (inner.label == term.label) {
        fits = fits && add_product(made.offset, term.coefficient, inner.offset);
        for (const tra::KeyExpression::Term& old : inner.terms) {
          fits = fits && add_product(coefficients[old.label], term.coefficient, old.coefficient);
        }
      }
    }
  }
  for (const auto& [label, coefficient] : coefficients) {
    if (coefficient != 0) {
      made.terms.push_back({label, coefficient});
    }
  }
  return fits ? std::optional(std::move(made)) : std::nullopt;
}

/// R1-2 (TRA §5), the keys of maps of arity one: rekey_g(rekey_f(R)) = rekey_{g after f}(R).
///
/// Conditions:
/// - only this rekey reads the other: else both would be made of R, and nothing is saved;
/// - the key is of the same kind: a dimension that counted pieces, was a plain integer in between
///   and got its old name back would again count pieces, of modes that are not cut.
RelationOutcome apply(const tra::Node& node, const RelationRuleContext& around) {
  const auto* rekey = std::get_if<tra::Rekey>(&node.op);
  if (rekey == nullptr) {
    return NotApplied{};
  }
  const auto* first = std::get_if<tra::Rekey>(&around.graph().at(rekey->input).op);
  if (first == nullptr) {
    return NotApplied{"what it gives new keys had none given"};
  }
  if (around.num_readers(rekey->input) > 1) {
    return NotApplied{"others read what it gives new keys"};
  }
  tra::Rekey both{first->input, {}};
  for (const tra::KeyExpression& expression : rekey->key) {
    std::optional<tra::KeyExpression> made = composed(expression, *first);
    if (!made) {
      return NotApplied{"the numbers of its key would be too large"};
    }
    both.key.push_back(std::move(*made));
  }
  if (tra::infer_type(both, tra::relations_of(around.graph())) != node.type) {
    return NotApplied{"its key would count pieces again"};
  }
  tra::Node merged = node;
  merged.op = std::move(both);
  return RelationRewritten{{std::move(merged)}};
}

}  // namespace

void register_rule(RelationRuleRegistry& registry) {
  registry.add({"merge_rekeys", "give tuples their last key at once", Phase::normalize,
                [] { return RelationRewrite(&apply); },
                "R1-2 of TRA §5: rekey_g(rekey_f(R)) = rekey_{g after f}(R), if nothing else reads "
                "rekey_f(R), and no key counts pieces of a mode again"});
}

}  // namespace tessera::optimizer::rule_merge_rekeys
