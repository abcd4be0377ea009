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

// The text of an operator of the algebra on a line of a graph, for placed tuples or not.

/// Describes its word and parameters, without its operands.
ir::Description describe_operator(const Op& op, const RelationType& type,
                                  const Relations& relations);

/// Formats the type in an operator's line. The present tuples follow from its inputs', so they are
/// written for an input only. Null: an operator that only moves tuples.
std::string written_type(const Op* op, const RelationType& type);

/// Returns the monoids that it merges with.
std::vector<const expr::Monoid*> monoids_of(const Op& op);

/// A reader that parses operators and infers their results, line by line. Errors: `user`, with the
/// place.
class OperatorReader {
 public:
  OperatorReader(const SourceText& source, const expr::FunctionRegistry& functions,
                 const expr::AggregateRegistry& aggregates)
      : source_(source), functions_(functions), monoids_{aggregates, {}} {}

  /// Defines the setting aggregate={...} of a header: a monoid that lines may name from here on.
  void define_aggregate(const ir::Field& setting);

  /// Reads the operator of a line, which may read the first `num_nodes` nodes. `type` is the type
  /// in the line, if any.
  Op read(const ir::Description& line, const std::optional<RelationType>& type,
          const Relations& relations, int64_t num_nodes) const;

  /// Returns the inferred type; for an input the type in the line.
  RelationType type_of(const ir::Description& line, const Op& op,
                       const std::optional<RelationType>& type, const Relations& relations) const;

  /// Refuses a line whose type is not the inferred one.
  void check_type(const ir::Description& line, const std::optional<RelationType>& given,
                  const RelationType& inferred) const;

 private:
  const SourceText& source_;
  const expr::FunctionRegistry& functions_;
  expr::MonoidScope monoids_;
};

}  // namespace tessera::tra
