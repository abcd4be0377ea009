#pragma once

#include <string>
#include <vector>

#include "expr/function.h"
#include "ir/tra/infer.h"

namespace tessera::tra {

/// The meaning of a relation's absent tuples for an aggregate above with a monoid. Tuples in
/// neither set are absent by design.
struct AbsentTuples {
  KeySet identities = ListedKeys{};  // they stand for the monoid's identity
  KeySet others = ListedKeys{};      // they would be something else, had nothing been absent
  std::string why = "";              // of others, if there are any
};

bool has_none(const KeySet& keys);

/// Maps some of an input's keys through an operator that only moves tuples and leaves some out.
KeySet moved_keys(NodeId id, const Op& op, NodeId input, const KeySet& keys,
                  const Relations& relations);

/// Derives the absent tuples of a join from those of its inputs. A join makes nothing if one of its
/// tuples is absent. If present and absent tuples meet, the absent ones stand for the identity, so
/// the result is the identity or something else, depending on the kernel (annihilation.h). If every
/// input tuple is absent by design, the result is absent by design too.
AbsentTuples absent_of_join(NodeId id, const Join& join, const std::vector<AbsentTuples>& inputs,
                            const expr::Monoid& monoid, const Relations& relations,
                            const expr::FunctionRegistry& functions);

/// Derives the absent tuples of a transform from those of its input.
AbsentTuples absent_of_transform(NodeId id, const Transform& transform, AbsentTuples input,
                                 const expr::Monoid& monoid, const Relations& relations,
                                 const expr::FunctionRegistry& functions);

/// Formats the identity of a monoid: "-inf", "(0.0,0)".
std::string identity_text(const expr::Monoid& monoid);

}  // namespace tessera::tra
