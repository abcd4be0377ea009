#pragma once

#include <string>
#include <vector>

#include "expr/function.h"
#include "ir/tra/infer.h"

namespace tessera::tra {

/// What the absent tuples of a relation are to an aggregate that merges them, or what is made of
/// them, with a monoid. Those in neither set nobody meant to be there.
struct AbsentTuples {
  KeySet identities = ListedKeys{};  // these stand for the monoid's identity
  KeySet others = ListedKeys{};      // these would be something else, had nothing been absent
  std::string why = "";              // of others, if there are any
};

bool has_none(const KeySet& keys);

/// What an operator that does nothing but move tuples and leave some out makes of some of its
/// input's keys.
KeySet moved_keys(NodeId id, const Op& op, NodeId input, const KeySet& keys,
                  const Relations& relations);

/// Of a join, from those of its inputs. A join makes nothing where one of its tuples is absent.
/// Where present and absent tuples meet, the absent ones stand for the identity, so the result is
/// the identity or something else, whichever the kernel makes of that (annihilation.h). Tuples that
/// are all absent, and nobody meant to be there, make none that anyone meant.
AbsentTuples absent_of_join(NodeId id, const Join& join, const std::vector<AbsentTuples>& inputs,
                            const expr::Monoid& monoid, const Relations& relations,
                            const expr::FunctionRegistry& functions);

/// Of a transform, from those of its input.
AbsentTuples absent_of_transform(NodeId id, const Transform& transform, AbsentTuples input,
                                 const expr::Monoid& monoid, const Relations& relations,
                                 const expr::FunctionRegistry& functions);

/// "-inf", "(0.0,0)".
std::string identity_text(const expr::Monoid& monoid);

}  // namespace tessera::tra
