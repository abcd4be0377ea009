#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/source_places.h"
#include "expr/segmented.h"
#include "frontend/einsum/expression/builder.h"
#include "frontend/einsum/program/node_facts.h"
#include "frontend/einsum/program/scope.h"
#include "frontend/einsum/program/typing.h"

namespace tessera::frontend {

/// A translation of one resolved statement into vertices: one for the statement, and before it one
/// for every aggregate inside its expression, named T1.1, T1.2, ... Equal aggregates of a statement
/// are made once.
///
/// Throws a user Error if dtypes have no meaning; `place()` then returns the place.
class VertexMaker {
 public:
  VertexMaker(const ResolvedExpression& statement, const ProgramScope& scope,
              const Vocabulary& vocabulary, const SourcePlaces& places, einsum::Graph& graph,
              NumberWarnings& warnings)
      : statement_(statement),
        scope_(scope),
        vocabulary_(vocabulary),
        places_(places),
        graph_(graph),
        warnings_(warnings),
        free_(statement) {}

  /// Makes the vertex of the statement; `out` are the labels of its left side.
  einsum::VertexId make(const std::string& name, const std::vector<LabelIndex>& out,
                        SourceSpan span);

  SourceSpan place() const { return at_; }

 private:
  /// A vertex while its body is built.
  struct Draft {
    einsum::EinSum einsum;
    std::vector<einsum::VertexId> operands;
    std::map<LabelIndex, expr::LabelNumber> numbers;
    ExpressionBuilder body;
    GuardValues guards = {};
  };

  einsum::Vertex make_vertex(int32_t root, const std::vector<LabelIndex>& out, SourceSpan span);
  einsum::Vertex make_scan(int32_t root, const std::vector<LabelIndex>& out, SourceSpan span);
  expr::Scanned scanned(Draft& draft, const ResolvedNode& node, const ResolvedScan& scan);
  einsum::Vertex make_whole(int32_t root, const std::vector<LabelIndex>& out, SourceSpan span);
  /// Makes the vertex of an expression that runs over these labels.
  einsum::Vertex made_at(int32_t root, const std::vector<LabelIndex>& out, SourceSpan span);
  bool is_made_at(int32_t root, const std::vector<LabelIndex>& out);
  /// Makes the vertex of an operation; `out` of its labels are those of the result.
  einsum::Vertex vertex_of(Draft draft, einsum::Op op, DType dtype, SourceSpan span) const;
  void add_labels(Draft& draft, const std::vector<LabelIndex>& out,
                  const std::vector<LabelIndex>& over) const;
  Value read_of_nothing(Draft& draft, const GatherIndex& gather, DType dtype);
  Value leaf(Draft& draft, const ResolvedNode& node);
  Value read(Draft& draft, einsum::VertexId vertex, const std::vector<ModeIndex>& index);
  /// Returns the index of a mode of this extent.
  expr::Index index_of(Draft& draft, const ModeIndex& mode, int64_t extent);
  expr::Index computed(const Draft& draft, const ComputedIndex& index, int64_t extent) const;
  /// Returns the value of a node of the statement, with its dtypes.
  Value value_of(Draft& draft, int32_t node);
  /// Returns the value of an element that an aggregate or a scan at `node` merges.
  Value element_of(Draft& draft, const ResolvedNode& node, int32_t element);
  Typing typing(Draft& draft);
  Value unrounded(Draft& draft, const Value& value, const ResolvedReduction* reduction) const;
  Value guard_value(Draft& draft, int32_t guard);
  /// Returns the vertex that computes a part of the statement at its free labels, made once.
  einsum::VertexId part_of(int32_t root);
  /// Adds a part of the statement, made once.
  einsum::VertexId add_part(einsum::Vertex part);
  /// An argument of a function of whole arrays, and the labels that it runs over.
  struct WholeArgument {
    int32_t node = 0;
    std::vector<LabelIndex> labels;
    Draft draft;
    Value value;
  };
  WholeArgument argument_of(const ResolvedWhole& whole, size_t number, const expr::Function& of);
  /// Returns the vertex that has the argument in that dtype: the vertex that it reads, if it is
  /// just a read.
  einsum::VertexId vertex_of(WholeArgument& argument, DType dtype);
  /// Adds the reads of a statement for arguments of these dtypes.
  std::vector<Value> read_arguments(Draft& draft, std::vector<WholeArgument> arguments,
                                    const expr::FunctionTypes& types);
  void check_square(const ResolvedWhole& whole, const expr::Function& function) const;
  /// Reads the vertex that an aggregate, a scan or a function of whole arrays makes.
  Value read_part(Draft& draft, const ResolvedNode& node);
  /// Returns the value of a concat: at each position that of the part there.
  Value joined(Draft& draft, const ResolvedConcat& concat);
  /// Returns the value of a part that begins at a position of the label.
  Value part_from(Draft& draft, const ResolvedConcat& concat, size_t part, int64_t begin);
  expr::BoundAggregate bind_aggregate(const std::string& name,
                                      const std::vector<DType>& elements) const;
  void check_not_empty(const ResolvedReduction& reduction,
                       const expr::BoundAggregate& aggregate) const;
  std::vector<LabelIndex> free_labels(int32_t root);
  int64_t extent_of(LabelIndex label) const;

  const ResolvedExpression& statement_;
  const ProgramScope& scope_;
  const Vocabulary& vocabulary_;
  const SourcePlaces& places_;
  einsum::Graph& graph_;
  NumberWarnings& warnings_;
  FreeLabels free_;
  std::string name_;
  std::vector<einsum::VertexId> parts_;  // of this statement, in order
  SourceSpan at_;
};

}  // namespace tessera::frontend
