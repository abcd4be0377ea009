#pragma once

#include <string>
#include <vector>

#include "frontend/einsum/program/scope.h"

/// The laws of a user's aggregate, tried on numbers: combine(identity, x) is x, and combine is
/// associative.
namespace tessera::frontend {

/// The result of trying the laws of an aggregate. A text is empty if its law holds.
struct TriedLaws {
  std::string broken;         // a law, with numbers for which it does not hold
  std::string order_matters;  // numbers for which combine(x, y) is not combine(y, x)
};

/// Tries the laws on states of any small numbers. Throws a user Error if combine has no meaning for
/// numbers.
TriedLaws try_laws(const std::string& name, const UserAggregate& aggregate,
                   const Vocabulary& vocabulary);

/// Tries the laws on the states that a use makes. `elements` are the entries of the states that it
/// merges, nodes of the statement. They are computed from numbers drawn for everything that the
/// statement reads, and merged with each other. Returns nothing if none can be computed.
std::optional<TriedLaws> try_laws_where_used(const std::string& name,
                                             const UserAggregate& aggregate,
                                             const ResolvedExpression& statement,
                                             const std::vector<int32_t>& elements,
                                             const Vocabulary& vocabulary);

}  // namespace tessera::frontend
