#include <algorithm>
#include <iterator>

#include "expr/function_ids.h"
#include "frontend/einsum/program/resolver.h"

namespace tessera::frontend {

namespace {

void add_names(ExpressionId id, const ProgramSyntax& syntax, std::set<std::string>& names);

void add_names(const std::vector<IndexSyntax>& indices, const ProgramSyntax& syntax,
               std::set<std::string>& names) {
  for (const IndexSyntax& index : indices) {
    if (index.label) {
      names.insert(index.label->text);
    }
    for (const std::optional<ExpressionId>& part : {index.value, index.end}) {
      if (part) {
        add_names(*part, syntax, names);
      }
    }
  }
}

/// Adds the names that stand for labels or numbers in an expression, without those that an
/// aggregate in it binds.
void add_names(ExpressionId id, const ProgramSyntax& syntax, std::set<std::string>& names) {
  std::visit(Overload{[](const Among<NumberSyntax, UnsupportedSyntax, VersionSyntax> auto&) {},
                      [&](const AccessSyntax& access) {
                        if (!access.has_brackets) {
                          names.insert(access.name.text);
                        }
                        add_names(access.indices, syntax, names);
                      },
                      [&](const CallSyntax& call) {
                        for (const ExpressionId argument : call.arguments) {
                          add_names(argument, syntax, names);
                        }
                      },
                      [&](const ApplicationSyntax& application) {
                        std::set<std::string> bound;
                        add_names(application.labels, syntax, bound);
                        std::set<std::string> inside;
                        for (const ExpressionId argument : application.arguments) {
                          add_names(argument, syntax, inside);
                        }
                        std::set_difference(inside.begin(), inside.end(), bound.begin(),
                                            bound.end(), std::inserter(names, names.end()));
                      }},
             syntax.at(id).of);
}

std::string listed(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ",") + name;
  }
  return text;
}

/// Returns the name for a label that has none: that of the tensor that groups.
std::string name_of_group(ExpressionId number, const ProgramSyntax& syntax) {
  const auto* access = std::get_if<AccessSyntax>(&syntax.at(number).of);
  return access == nullptr ? "group" : access->name.text;
}

}  // namespace

void Resolver::add_left_group(const IndexSyntax& index, Environment& environment,
                              const GroupCount* count, std::optional<int64_t> counted) {
  LeftGroup group{add_label("", true),     *index.value, index.span, {}, false,
                  index.label.has_value(), count,        counted};
  StatementLabel& label = result_.labels.back();
  if (index.label) {
    result_.labels.pop_back();
    add_left_label(*index.label, environment);
  } else {
    label.name = name_of_group(*index.value, environment.syntax());
    label.written = index.span;
    result_.left.push_back({LinearForm{{{group.label, 1}}, {}, 0}});
  }
  add_names(*index.value, environment.syntax(), group.names);
  groups_.push_back(std::move(group));
  left_ = &environment;
}

void Resolver::give_left_extent(int64_t extent, SourceSpan span) {
  const auto label = static_cast<LabelIndex>(result_.labels.size()) - 1;
  LeftMode& mode = result_.left.back();
  if (mode.is_computed) {
    mode.extent = extent;
    return;
  }
  give_extent(label, extent, span, "its place on the left");
  result_.labels.back().is_fixed = true;
}

/// Returns the names of a group that only an aggregate can give a meaning.
std::set<std::string> Resolver::labels_to_bind(const LeftGroup& group) const {
  std::set<std::string> labels;
  for (const std::string& name : group.names) {
    const std::optional<LabelIndex> label = left_->find_label(name);
    const bool is_left = label && *label < num_left_;
    const bool is_known = is_left || scope_.tensors.contains(name) ||
                          scope_.parameters.contains(name) || find_constant(name);
    if (!is_known) {
      labels.insert(name);
    }
  }
  return labels;
}

bool Resolver::groups_by(const LeftGroup& group, const std::set<std::string>& bound,
                         const NameSyntax& aggregate, const Environment& environment) {
  const auto is_bound = [&](const std::string& name) { return bound.contains(name); };
  if (std::none_of(group.names.begin(), group.names.end(), is_bound)) {
    return false;
  }
  const std::set<std::string> wanted = labels_to_bind(group);
  if (!std::all_of(wanted.begin(), wanted.end(), is_bound)) {
    report(environment.shown(aggregate.span),
           fmt::format("{0}[{1}] takes only some of the labels that group on the left, {2}",
                       aggregate.text, listed(bound), listed(wanted)),
           fmt::format("bind them in one aggregate, {}[{}], or compute this in a statement of its "
                       "own",
                       aggregate.text, listed(wanted)),
           {group.span});
    return false;
  }
  return true;
}

Resolver::Resolved Resolver::resolve_group(LeftGroup& group, Resolved mask) {
  group.is_used = true;
  result_.labels[static_cast<size_t>(group.label)].is_used = true;
  is_in_group_ = true;
  ++index_depth_;
  Resolved number = resolve_node(group.number, *left_);
  --index_depth_;
  is_in_group_ = false;
  if (number && mask) {  // elements that are left out are in no group
    const Resolved zero = add({Literal(int64_t{0}), group.span});
    number = add({ResolvedCall{expr::id::kWhere, {*mask, *number, *zero}}, group.span});
  }
  if (!number) {
    return std::nullopt;
  }
  const Resolved position = add({ResolvedIndex{group.label}, group.span});
  const Resolved extent = add({ResolvedSize{group.label}, group.span});
  return add({ResolvedCall{expr::id::kInGroup, {*number, *position, *extent}}, group.span});
}

Resolver::Resolved Resolver::resolve_guarded(const ApplicationSyntax& application, SourceSpan span,
                                             Environment& environment,
                                             ResolvedReduction& reduction) {
  std::optional<Resolved> condition;  // nothing: all elements are merged
  if (application.condition) {
    condition = resolve_node(*application.condition, environment);
  }
  const Resolved mask = condition.value_or(std::nullopt);
  std::set<std::string> bound;  // as the user wrote them
  for (const IndexSyntax& index : application.labels) {
    const auto& access = std::get<AccessSyntax>(environment.syntax().at(*index.value).of);
    for (const NameSyntax& part : environment.labels_of(access.name)) {
      if (environment.is_users(part.text)) {
        bound.insert(environment.spelled(part.text));
      }
    }
  }
  for (LeftGroup& group : groups_) {
    if (is_in_group_ || !groups_by(group, bound, application.name, environment)) {
      continue;
    }
    reduction.is_grouped = true;
    (application.condition ? group.over_some : group.over) = reduction.over;
    const Resolved term = resolve_group(group, mask);
    const bool is_first = !condition;
    const bool both = condition && *condition && term;
    condition = is_first ? term
                : both   ? add({ResolvedCall{expr::id::kLogicalAnd, {**condition, *term}}, span})
                         : Resolved();
  }
  const Resolved element = resolve_node(application.arguments[0], environment);
  if (!condition) {
    return element;
  }
  return *condition && element ? add({ResolvedCall{expr::id::kOnly, {**condition, *element}}, span})
                               : std::nullopt;
}

/// Reports elements that have no group; if there are no groups, no run would find the fault. If a
/// condition may leave all elements out, a run counts them first.
void Resolver::report_elements_without_groups() {
  const auto extent_of = [&](LabelIndex label) {
    return result_.labels[static_cast<size_t>(label)].extent.value_or(0);
  };
  const auto has_elements = [&](const std::vector<LabelIndex>& over) {
    return !over.empty() && std::all_of(over.begin(), over.end(),
                                        [&](LabelIndex label) { return extent_of(label) > 0; });
  };
  for (const LeftGroup& group : groups_) {
    if (extent_of(group.label) > 0) {
      continue;
    }
    if (has_elements(group.over)) {
      const LabelIndex label = group.over.front();
      report_no_groups(group, fmt::format("{} positions of {}", extent_of(label),
                                          result_.labels[static_cast<size_t>(label)].name));
    } else if (has_elements(group.over_some) && group.counted.value_or(0) > 0) {
      report_no_groups(group, "which the condition lets in");
    } else if (has_elements(group.over_some) && !group.counted && group.count != nullptr &&
               group.count->is_of_taken) {
      count_needed_ = group.count;
      has_failed_ = true;
    }
  }
}

void Resolver::report_no_groups(const LeftGroup& group, const std::string& elements) {
  report(group.span, fmt::format("there are elements, {}, but no group to put them into", elements),
         "say of how many groups behind the index: of 100");
}

void Resolver::report_unused_groups() {
  for (const LeftGroup& group : groups_) {
    if (group.is_used || has_failed_) {
      continue;
    }
    const std::set<std::string> labels = labels_to_bind(group);
    const std::string which = labels.empty() ? "n" : listed(labels);
    report(group.span,
           labels.empty() ? "an index that groups has a label that is not on the left, and that an "
                            "aggregate takes"
                          : fmt::format("no aggregate on the right takes {}, so nothing is grouped "
                                        "by this index",
                                        which),
           fmt::format("what is grouped is an aggregate: {0}[G[{1}]] = sum[{1}] X[{1}]",
                       defined_.empty() ? "Y" : defined_, which));
    for (const std::string& label : labels) {
      const auto is_it = [&](const UnknownLabel& unknown) { return unknown.name == label; };
      unknown_.erase(std::remove_if(unknown_.begin(), unknown_.end(), is_it), unknown_.end());
    }
  }
}

/// True if a label without extent is one of groups; reports it, unless a run can count them.
bool Resolver::report_unknown_groups(LabelIndex label) {
  const auto group = std::find_if(groups_.begin(), groups_.end(),
                                  [&](const LeftGroup& known) { return known.label == label; });
  if (group == groups_.end()) {
    return false;
  }
  if (group->count != nullptr) {
    count_needed_ = group->count;
    has_failed_ = true;
    return true;
  }
  const std::string name = group->is_named ? result_.labels[static_cast<size_t>(label)].name : "g";
  report(group->span, "how many groups there are is not known",
         fmt::format("say it behind the index, of 100; or name the label, {0} = ..., and declare "
                     "it before: label {0} = 100",
                     name));
  return true;
}

}  // namespace tessera::frontend
