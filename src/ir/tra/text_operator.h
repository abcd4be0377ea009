#pragma once

#include <optional>
#include <vector>

#include "expr/aggregate.h"
#include "expr/function.h"
#include "expr/text/parts.h"
#include "ir/description.h"
#include "ir/tra/graph.h"
#include "ir/tra/infer.h"

namespace tessera::tra {

// How an operator of the algebra is written on a line of a graph, whether its tuples are placed on
// sites or not.

/// Its word and parameters; not its operands.
ir::Description describe_operator(const Op& op, const RelationType& type,
                                  const Relations& relations);

/// The type as a line of the operator writes it. Which tuples there are follows from its inputs';
/// it is written of an input only. Null: what only moves tuples.
std::string written_type(const Op* op, const RelationType& type);

/// The monoids that it merges with.
std::vector<const expr::Monoid*> monoids_of(const Op& op);

/// Reads operators and infers what they make, line by line. Errors: `user`, with the place.
class OperatorReader {
 public:
  OperatorReader(const SourceText& source, const expr::FunctionRegistry& functions,
                 const expr::AggregateRegistry& aggregates)
      : source_(source), functions_(functions), monoids_{aggregates, {}} {}

  /// The setting aggregate={...} of a header: a monoid that lines may name from here on.
  void define_aggregate(const ir::Field& setting);

  /// The operator of a line that reads some of the first `num_nodes` nodes. `type` is what the line
  /// says of its type.
  Op read(const ir::Description& line, const std::optional<RelationType>& type,
          const Relations& relations, int64_t num_nodes) const;

  /// The type that follows; for an input the one that the line says.
  RelationType type_of(const ir::Description& line, const Op& op,
                       const std::optional<RelationType>& type, const Relations& relations) const;

  /// Refuses a line whose type is not the one that follows.
  void check_type(const ir::Description& line, const std::optional<RelationType>& given,
                  const RelationType& inferred) const;

 private:
  const SourceText& source_;
  const expr::FunctionRegistry& functions_;
  expr::MonoidScope monoids_;
};

}  // namespace tessera::tra
