#pragma once

#include <string>
#include <vector>

#include "frontend/einsum/program/scope.h"

/// The laws of an aggregate of the user's, tried on numbers: combine(identity, x) is x, and combine
/// is associative.
namespace tessera::frontend {

/// The result of trying the laws of an aggregate. A text is empty if its law holds.
struct TriedLaws {
  std::string broken;         // a law, with numbers for which it does not hold
  std::string order_matters;  // numbers for which combine(x, y) is not combine(y, x)
};

/// Tries the laws on states of any small numbers. Throws a user Error where combine has no meaning
/// for numbers.
TriedLaws try_laws(const std::string& name, const UserAggregate& aggregate,
                   const Vocabulary& vocabulary);

/// The same on the states that a use makes: `elements` are the entries of the states that it
/// merges, nodes of the statement. They are computed from numbers that are drawn for all that the
/// statement reads, and merged with each other. Says nothing where none can be computed.
std::optional<TriedLaws> try_laws_where_used(const std::string& name,
                                             const UserAggregate& aggregate,
                                             const ResolvedExpression& statement,
                                             const std::vector<int32_t>& elements,
                                             const Vocabulary& vocabulary);

}  // namespace tessera::frontend
