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

/// The number that a name is in every program: pi, inf, nan.
std::optional<Literal> find_constant(const std::string& name);

/// Looks up the names of one expression, expands its macros and gives every label one extent.
///
/// Findings: unknown names, wrong numbers of labels or arguments, labels of two extents or of none,
/// labels that are neither on the left nor summed, what is not built yet. After a finding the rest
/// is still looked at.
class Resolver {
 public:
  Resolver(const ProgramScope& scope, const Vocabulary& vocabulary, Diagnostics& findings)
      : scope_(scope), vocabulary_(vocabulary), findings_(findings) {}

  /// The labels of the left side, the groups, and the places. REQUIRES that they are given before
  /// resolve().
  void add_left_label(const NameSyntax& label, Environment& environment);
  void add_left_group(const IndexSyntax& index, Environment& environment, const GroupCount* count,
                      std::optional<int64_t> counted);
  /// A place that is computed from a label, as in Y[2*i + 1].
  void add_left_place(const IndexSyntax& index, const NameSyntax& label, Environment& environment);
  /// Of a label that was added: it has this extent, of what reads say more as of what reads do not
  /// say. What `label` declares is of the positions before some are kept.
  void set_kept(const KeptLabel& kept, int64_t extent);
  /// Of the one that was added last.
  void give_left_extent(int64_t extent, SourceSpan span);
  /// After resolve() gave nothing without a finding: what has to be counted first.
  const GroupCount* count_needed() const { return count_needed_; }

  /// The statement's own tensor, for the message about one that reads itself.
  void set_defined(const std::string& tensor) { defined_ = tensor; }

  /// Nothing if there were findings, or if a tensor was read whose own statement failed. Elements
  /// of the statement for which the condition is false are not used.
  std::optional<ResolvedExpression> resolve(ExpressionId root, Environment& environment,
                                            std::optional<ExpressionId> condition = std::nullopt);

 private:
  struct UnknownLabel {
    std::string name;
    SourceSpan span;
    std::string query;  // "size" or "index" where it stands in one
    std::string macro;  // the one around it that was given this label, and keeps it
  };
  /// A macro with the labels that it was given, as the user wrote them.
  struct MacroUse {
    std::string name;
    std::vector<std::string> labels;
  };
  /// An index of the left side that puts what aggregates merge into groups.
  struct LeftGroup {
    LabelIndex label = 0;  // of the groups
    ExpressionId number;   // of the group, from the labels that an aggregate binds
    SourceSpan span;
    std::set<std::string> names;  // in `number`: of labels, and of scalars
    bool is_used = false;
    bool is_named = false;
    const GroupCount* count = nullptr;    // where a run can tell how many there are
    std::optional<int64_t> counted = {};  // what it told
    std::vector<LabelIndex> over = {};    // of an aggregate that puts all its elements into groups
    std::vector<LabelIndex> over_some = {};  // of one that puts some of them, by a condition
  };
  /// A label of which size() is asked where it is neither on the left nor bound.
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
  /// Whether an aggregate merges in any order; reports where it does not.
  bool may_reduce(const NameSyntax& name, const Environment& environment);
  /// What a name in front of labels scans by: "sum" of cumsum; nothing where it is no scan.
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
  /// Whether all that concat joins is as long as its label; reports where it is not.
  void check_concats();
  std::nullopt_t refuse_order(const IndexSyntax& index, const Environment& environment);
  bool read_order(const ScanOrderSyntax& order, ResolvedScan& scan, Environment& environment);
  /// What a scan merges: all that follows it, or the arguments of scan[i] name(...).
  std::optional<std::vector<ExpressionId>> scanned(const ApplicationSyntax& application,
                                                   const std::string& aggregate, SourceSpan span,
                                                   const Environment& environment);
  /// What a reduction takes, guarded where it has a condition or is grouped, which is noted in it.
  Resolved resolve_guarded(const ApplicationSyntax& application, SourceSpan span,
                           Environment& environment, ResolvedReduction& reduction);
  Resolved resolve_group(LeftGroup& group, Resolved mask);
  /// Whether an aggregate that binds these labels is grouped; reports one that binds some only.
  bool groups_by(const LeftGroup& group, const std::set<std::string>& bound,
                 const NameSyntax& aggregate, const Environment& environment);
  std::set<std::string> labels_to_bind(const LeftGroup& group) const;
  Resolved expand(const Macro& macro, const NameSyntax& name, const std::vector<NameSyntax>& labels,
                  const std::vector<ExpressionId>& arguments, SourceSpan span,
                  Environment& environment);
  std::optional<std::vector<int32_t>> resolve_all(const std::vector<ExpressionId>& arguments,
                                                  Environment& environment);

  /// The macro that a name means there: in the prelude only one of the prelude's, so that no
  /// program breaks it.
  const Macro* find_macro(const std::string& name, const Environment& environment) const;
  bool is_in_prelude(const Environment& environment) const;
  bool is_aggregate(const std::string& name) const;
  /// The labels of brackets that may hold labels only; reports what else stands there.
  std::optional<std::vector<NameSyntax>> plain_labels(const std::vector<IndexSyntax>& indices,
                                                      Environment& environment);
  /// The label that a name is here; nothing for one that stands for several, or is none.
  static std::optional<NameSyntax> bound_label(const NameSyntax& name,
                                               const Environment& environment);
  /// An index as it is written; a label of a macro that stands for several is one for each.
  struct IndexOfMode {
    const IndexSyntax* written;
    std::optional<NameSyntax> part;
  };
  /// The modes of a tensor that its reads name.
  static std::vector<size_t> modes_read(const Tensor& tensor);
  static std::vector<IndexOfMode> indices_of(const AccessSyntax& access,
                                             const Environment& environment);
  /// How a mode of a tensor is read.
  std::optional<ModeIndex> resolve_index(const IndexSyntax& index, const Tensor& tensor,
                                         size_t mode, Environment& environment);
  std::optional<ModeIndex> resolve_slice(const IndexSyntax& index, const Tensor& tensor,
                                         size_t mode, Environment& environment);
  /// Where a slice begins or ends; a negative number counts from the end.
  std::optional<int64_t> resolve_bound(std::optional<ExpressionId> bound, int64_t otherwise,
                                       int64_t extent, Environment& environment);
  /// True if an expression is a single name, as an argument of a macro may be.
  static bool is_name(ExpressionId id, const Environment& environment);
  /// Nothing, and nothing reported, for what is no linear form.
  std::optional<LinearForm> linear_form(ExpressionId id, Environment& environment);
  std::optional<LinearForm> linear_form(const AccessSyntax& access, Environment& environment);
  std::optional<LinearForm> linear_form(const CallSyntax& call, Environment& environment);
  std::optional<Literal> constant_of(ExpressionId id, Environment& environment);
  bool is_constant(ExpressionId id, const Environment& environment) const;
  std::optional<expr::Boundary> resolve_pad(ExpressionId id, DType dtype, Environment& environment);
  LabelIndex use_label(const NameSyntax& label, Environment& environment);
  /// A label that what follows binds, until it is unbound.
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
  std::string macro_;                       // the one in whose body the node at hand stands
  std::vector<const MacroUse*> used_ = {};  // around the node at hand, outermost first
  int depth_ = 0;
  int64_t num_parts_ = 0;
  int index_depth_ = 0;  // within indices, a label is its position
  std::vector<LeftGroup> groups_ = {};
  const GroupCount* count_needed_ = nullptr;  // before this can be resolved
  Environment* left_ = nullptr;               // in which groups stand
  LabelIndex num_left_ = 0;
  bool is_in_group_ = false;
  bool has_failed_ = false;
};

}  // namespace tessera::frontend
