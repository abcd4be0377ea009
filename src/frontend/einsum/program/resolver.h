#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "frontend/einsum/program/environment.h"
#include "frontend/einsum/program/index_extents.h"
#include "frontend/einsum/program/scope.h"

namespace tessera::frontend {

/// Returns the value of a name that is a number in every program: pi, inf, nan.
std::optional<Literal> find_constant(const std::string& name);

/// A resolver of one expression: it looks up names, expands macros and gives every label one
/// extent.
///
/// Findings: unknown names, wrong numbers of labels or arguments, labels of two extents or of none,
/// labels that are neither on the left nor summed, features that are not supported yet. After a
/// finding the rest is still checked.
class Resolver {
 public:
  Resolver(const ProgramScope& scope, const Vocabulary& vocabulary, Diagnostics& findings)
      : scope_(scope), vocabulary_(vocabulary), findings_(findings) {}

  /// Adds a label of the left side. REQUIRES that all labels, groups and places are added before
  /// resolve().
  void add_left_label(const NameSyntax& label, Environment& environment);
  void add_left_group(const IndexSyntax& index, Environment& environment, const GroupCount* count,
                      std::optional<int64_t> counted);
  /// Adds a place that is computed from a label, as in Y[2*i + 1].
  void add_left_place(const IndexSyntax& index, const NameSyntax& label, Environment& environment);
  /// Bounds the extent of a label that was added, for a keep. A declaration by `label` is of the
  /// positions before the keep, so it does not hold after it.
  void set_kept(const KeptLabel& kept, int64_t extent);
  /// Gives the label that was added last an extent.
  void give_left_extent(int64_t extent, SourceSpan span);
  /// Returns the count that is needed first, if resolve() returned nothing without a finding.
  const GroupCount* count_needed() const { return count_needed_; }

  /// Sets the statement's own tensor, for the message about a tensor that reads itself.
  void set_defined(const std::string& tensor) { defined_ = tensor; }

  /// Resolves an expression. Returns nothing after findings, or if a tensor was read whose own
  /// statement failed. Elements of the statement for which the condition is false are not used.
  std::optional<ResolvedExpression> resolve(ExpressionId root, Environment& environment,
                                            std::optional<ExpressionId> condition = std::nullopt);

 private:
  struct UnknownLabel {
    std::string name;
    SourceSpan span;
    std::string query;  // "size" or "index" if it stands in one
    std::string macro;  // the macro around it that was given this label, and keeps it
  };
  /// A macro with the labels that it was given, as the user wrote them.
  struct MacroUse {
    std::string name;
    std::vector<std::string> labels;
  };
  /// An index of the left side that groups the elements that aggregates merge.
  struct LeftGroup {
    LabelIndex label = 0;  // of the groups
    ExpressionId number;   // of the group, from the labels that an aggregate binds
    SourceSpan span;
    std::set<std::string> names;  // in `number`: of labels, and of scalars
    bool is_used = false;
    bool is_named = false;
    const GroupCount* count = nullptr;    // if a run can tell how many there are
    std::optional<int64_t> counted = {};  // the result of that run
    std::vector<LabelIndex> over = {};    // of an aggregate that puts all its elements into groups
    std::vector<LabelIndex> over_some = {};  // of one that puts some of them, by a condition
  };
  /// A label whose size() is asked although it is neither on the left nor bound.
  struct LabelOutside {
    LabelIndex index = 0;
    SourceSpan span;
  };
  using Resolved = std::optional<int32_t>;  // nothing: reported already

  Resolved resolve_node(ExpressionId id, Environment& environment);
  Resolved resolve_access(const AccessSyntax& access, SourceSpan span, Environment& environment);
  Resolved resolve_value(const AccessSyntax& access, SourceSpan span, Environment& environment);
  Resolved resolve_read(const AccessSyntax& access, const Tensor& tensor, SourceSpan span,
                        Environment& environment);
  Resolved report_keep(SourceSpan place);
  Resolved resolve_call(const CallSyntax& call, SourceSpan span, Environment& environment);
  Resolved resolve_typed(const CallSyntax& call, SourceSpan span, Environment& environment);
  Resolved resolve_label_query(const CallSyntax& call, SourceSpan span, Environment& environment);
  Resolved resolve_cast(std::optional<DType> dtype, const CallSyntax& call, SourceSpan span,
                        Environment& environment);
  Resolved resolve_extremes(const CallSyntax& call, SourceSpan span, Environment& environment);
  Resolved resolve_function(const expr::Function& function, const CallSyntax& call, SourceSpan span,
                            Environment& environment);
  Resolved resolve_application(const ApplicationSyntax& application, SourceSpan span,
                               Environment& environment);
  Resolved resolve_reduction(const ApplicationSyntax& application, SourceSpan span,
                             Environment& environment);
  /// True if an aggregate merges in any order; otherwise reports it.
  bool may_reduce(const NameSyntax& name, const Environment& environment);
  /// Returns the aggregate that a name in front of labels scans by: "sum" for cumsum; nothing if it
  /// is no scan.
  std::optional<std::string> scanned_by(const ApplicationSyntax& application,
                                        const Environment& environment) const;
  Resolved resolve_scan(const ApplicationSyntax& application, const std::string& aggregate,
                        SourceSpan span, Environment& environment);
  Resolved resolve_whole(const expr::Function& function, const ApplicationSyntax& application,
                         SourceSpan span, Environment& environment);
  Resolved resolve_concat(const ApplicationSyntax& application, SourceSpan span,
                          Environment& environment);
  std::optional<ResolvedConcat::Part> resolve_part(const NameSyntax& label, ExpressionId argument,
                                                   Environment& environment);
  /// Reports concats whose parts are not as long as their label.
  void check_concats();
  std::nullopt_t refuse_order(const IndexSyntax& index, const Environment& environment);
  bool read_order(const ScanOrderSyntax& order, ResolvedScan& scan, Environment& environment);
  /// Returns the expressions that a scan merges: the operand after it, or the arguments of scan[i]
  /// name(...).
  std::optional<std::vector<ExpressionId>> scanned(const ApplicationSyntax& application,
                                                   const std::string& aggregate, SourceSpan span,
                                                   const Environment& environment);
  /// Resolves the operand of a reduction, guarded if it has a condition or is grouped, which is
  /// noted in it.
  Resolved resolve_guarded(const ApplicationSyntax& application, SourceSpan span,
                           Environment& environment, ResolvedReduction& reduction);
  Resolved resolve_group(LeftGroup& group, Resolved mask);
  /// True if an aggregate that binds these labels is grouped; reports one that binds only some of a
  /// group's labels.
  bool groups_by(const LeftGroup& group, const std::set<std::string>& bound,
                 const NameSyntax& aggregate, const Environment& environment);
  std::set<std::string> labels_to_bind(const LeftGroup& group) const;
  Resolved expand(const Macro& macro, const NameSyntax& name, const std::vector<NameSyntax>& labels,
                  const std::vector<ExpressionId>& arguments, SourceSpan span,
                  Environment& environment);
  std::optional<std::vector<int32_t>> resolve_all(const std::vector<ExpressionId>& arguments,
                                                  Environment& environment);

  /// Returns the macro of a name: in the prelude only one of the prelude's, so that no program
  /// breaks it.
  const Macro* find_macro(const std::string& name, const Environment& environment) const;
  bool is_in_prelude(const Environment& environment) const;
  bool is_aggregate(const std::string& name) const;
  /// Returns the labels of brackets that may hold labels only; reports anything else.
  std::optional<std::vector<NameSyntax>> plain_labels(const std::vector<IndexSyntax>& indices,
                                                      Environment& environment);
  /// Returns the label that a name is here; nothing for one that stands for several labels or is
  /// none.
  static std::optional<NameSyntax> bound_label(const NameSyntax& name,
                                               const Environment& environment);
  /// An index with its mode; a label of a macro that stands for several labels makes one for each.
  struct IndexOfMode {
    const IndexSyntax* written;
    std::optional<NameSyntax> part;
  };
  /// Returns the modes of a tensor that its reads name.
  static std::vector<size_t> modes_read(const Tensor& tensor);
  static std::vector<IndexOfMode> indices_of(const AccessSyntax& access,
                                             const Environment& environment);
  /// Resolves the index of a mode of a tensor.
  std::optional<ModeIndex> resolve_index(const IndexSyntax& index, const Tensor& tensor,
                                         size_t mode, Environment& environment);
  std::optional<ModeIndex> resolve_slice(const IndexSyntax& index, const Tensor& tensor,
                                         size_t mode, Environment& environment);
  /// Resolves the begin or end of a slice; a negative number counts from the end.
  std::optional<int64_t> resolve_bound(std::optional<ExpressionId> bound, int64_t otherwise,
                                       int64_t extent, Environment& environment);
  /// True if an expression is a single name, as an argument of a macro may be.
  static bool is_name(ExpressionId id, const Environment& environment);
  /// Returns an expression as a linear form; returns nothing, without a report, if it is none.
  std::optional<LinearForm> linear_form(ExpressionId id, Environment& environment);
  std::optional<LinearForm> linear_form(const AccessSyntax& access, Environment& environment);
  std::optional<LinearForm> linear_form(const CallSyntax& call, Environment& environment);
  std::optional<Literal> constant_of(ExpressionId id, Environment& environment);
  bool is_constant(ExpressionId id, const Environment& environment) const;
  std::optional<expr::Boundary> resolve_pad(ExpressionId id, DType dtype, Environment& environment);
  LabelIndex use_label(const NameSyntax& label, Environment& environment);
  /// Makes a label that the following part binds, until it is unbound.
  LabelIndex bind_label(const NameSyntax& label, Environment& environment);
  LabelIndex label_of_size(const NameSyntax& label, Environment& environment);
  LabelIndex add_label(const std::string& name, bool is_of_macro);
  void give_extent(LabelIndex label, int64_t extent, SourceSpan span, const std::string& origin);
  void report_unknown_value(const AccessSyntax& access, SourceSpan span, Environment& environment);
  void report_unknown_callable(const NameSyntax& name, SourceSpan span);
  void give_sizes_outside();
  void report_unknown_labels();
  void report_unused_groups();
  bool report_unknown_groups(LabelIndex label);
  void report_elements_without_groups();
  void report_no_groups(const LeftGroup& group, const std::string& elements);
  void report_unsound_indices();
  void report_out_of_range(const UnsoundIndex& index);
  void complete_labels();

  Resolved add(ResolvedNode node);
  std::nullopt_t report(SourceSpan span, std::string message, std::string help = "",
                        std::vector<SourceSpan> others = {});
  std::nullopt_t refuse(SourceSpan span, const std::string& feature);

  const ProgramScope& scope_;
  const Vocabulary& vocabulary_;
  Diagnostics& findings_;
  ResolvedExpression result_;
  std::string defined_;
  std::vector<UnknownLabel> unknown_;
  std::map<std::string, LabelOutside> outside_;
  std::string macro_;                       // the macro whose body holds the current node
  std::vector<const MacroUse*> used_ = {};  // around the current node, outermost first
  int depth_ = 0;
  int64_t num_parts_ = 0;
  int index_depth_ = 0;  // within indices, a label is its position
  std::vector<LeftGroup> groups_ = {};
  const GroupCount* count_needed_ = nullptr;  // before this can be resolved
  Environment* left_ = nullptr;               // the environment of groups
  LabelIndex num_left_ = 0;
  bool is_in_group_ = false;
  bool has_failed_ = false;
};

}  // namespace tessera::frontend
