#include "frontend/einsum/program/resolver.h"

#include <algorithm>
#include <utility>

#include "frontend/einsum/program/guards.h"
#include "frontend/einsum/program/iteration_help.h"
#include "frontend/einsum/program/parser.h"
#include "frontend/einsum/program/positions.h"

namespace tessera::frontend {

namespace {

/// The most nodes of one statement: macros that use macros can grow without end, and no one writes
/// a statement this long.
constexpr int64_t kMaxParts = 10000;

}  // namespace

std::nullopt_t Resolver::report(SourceSpan span, std::string message, std::string help,
                                std::vector<SourceSpan> others) {
  has_failed_ = true;
  findings_.add({ErrorKind::user, span, std::move(message), std::move(help), std::move(others)});
  return std::nullopt;
}

std::nullopt_t Resolver::refuse(SourceSpan span, const std::string& feature) {
  has_failed_ = true;
  const bool is_version = feature == kVersion;
  findings_.add(
      {ErrorKind::unsupported,
       span,
       fmt::format("{} cannot be computed {}", feature, is_version ? "in a program" : "yet"),
       is_version ? std::string(kStepsHelp) : "",
       {}});
  return std::nullopt;
}

Resolver::Resolved Resolver::add(ResolvedNode node) {
  node.macro = macro_;
  result_.nodes.push_back(std::move(node));
  return static_cast<int32_t>(result_.nodes.size()) - 1;
}

LabelIndex Resolver::add_label(const std::string& name, bool is_of_macro) {
  StatementLabel label;
  label.name = name;
  label.is_of_macro = is_of_macro;
  const auto size = scope_.label_sizes.find(name);
  if (!is_of_macro && size != scope_.label_sizes.end() && size->second.is_declared) {
    label.extent = size->second.extent;
    label.is_fixed = true;
    label.span = size->second.span;
    label.origin = "its declaration";
  }
  result_.labels.push_back(std::move(label));
  return static_cast<LabelIndex>(result_.labels.size()) - 1;
}

void Resolver::add_left_label(const NameSyntax& label, Environment& environment) {
  if (environment.find_label(label.text)) {
    report(label.span, fmt::format("label {} stands twice on the left", label.text),
           "a diagonal can be read, X[i,i], but not written");
    return;
  }
  const LabelIndex added = add_label(label.text, false);
  environment.bind(label.text, added);
  result_.labels.back().written = label.span;
  result_.left.push_back({LinearForm{{{added, 1}}, {}, 0}});
}

void Resolver::set_kept(const KeptLabel& kept, int64_t extent) {
  const auto is_it = [&](const StatementLabel& label) { return label.name == kept.label; };
  const auto label = std::find_if(result_.labels.begin(), result_.labels.end(), is_it);
  if (label == result_.labels.end()) {
    return;  // reported
  }
  if (kept.is_after) {
    label->extent.reset();
    label->is_fixed = false;
  }
  label->kept = extent;
}

LabelIndex Resolver::use_label(const NameSyntax& label, Environment& environment) {
  std::optional<LabelIndex> found = environment.find_label(label.text);
  if (!found) {
    const SourceSpan span = environment.shown(label.span);
    if (environment.is_users(label.text)) {
      const std::string& name = environment.spelled(label.text);
      const auto has_label = [&](const MacroUse* use) {
        return std::find(use->labels.begin(), use->labels.end(), name) != use->labels.end();
      };
      const auto keeper = std::find_if(used_.begin(), used_.end(), has_label);
      unknown_.push_back({name, span, "", keeper == used_.end() ? "" : (*keeper)->name});
    } else {
      report(span,
             fmt::format("label {} in the macro {} is neither one of its labels nor summed",
                         environment.spelled(label.text), environment.macro()),
             fmt::format("def {}[{}](...)", environment.macro(), label.text));
    }
    found = add_label(label.text, !environment.is_users(label.text));
    environment.bind(label.text, *found);  // the first use is reported, the others are not
  }
  result_.labels[static_cast<size_t>(*found)].is_used = true;
  return *found;
}

LabelIndex Resolver::label_of_size(const NameSyntax& label, Environment& environment) {
  if (environment.find_label(label.text) || !environment.is_users(label.text)) {
    return use_label(label, environment);
  }
  const std::string& name = environment.spelled(label.text);
  const auto [known, is_new] = outside_.try_emplace(name);
  if (is_new) {
    known->second = {add_label(name, false), environment.shown(label.span)};
    result_.labels.back().is_used = true;
  }
  return known->second.index;
}

void Resolver::give_extent(LabelIndex index, int64_t extent, SourceSpan span,
                           const std::string& origin) {
  StatementLabel& label = result_.labels[static_cast<size_t>(index)];
  if (!label.extent) {
    label.extent = extent;
    label.span = span;
    label.origin = origin;
    return;
  }
  if (*label.extent == extent) {
    return;
  }
  const bool has_one = *label.extent == 1 || extent == 1;
  const std::string help =
      has_one
          ? fmt::format(
                "nothing is repeated to fit: sum the mode of extent 1 away first, "
                "T = sum[{0}] {1}, and read T without {0}; a mode of an input may also be named "
                "1 in its header, and is then left out where it is read",
                label.name, extent == 1 ? origin : label.origin)
          : "a label has one extent within a statement; one that is summed is local to its "
            "aggregate";
  report(span,
         fmt::format("label {} is {} in {} but {} in {}", label.name, *label.extent, label.origin,
                     extent, origin),
         help, {label.span});
}

std::optional<std::vector<int32_t>> Resolver::resolve_all(
    const std::vector<ExpressionId>& arguments, Environment& environment) {
  std::vector<int32_t> nodes;
  bool all = true;
  for (const ExpressionId argument : arguments) {
    const Resolved node = resolve_node(argument, environment);
    all = all && node.has_value();
    nodes.push_back(node.value_or(-1));
  }
  return all ? std::optional(std::move(nodes)) : std::nullopt;
}

Resolver::Resolved Resolver::resolve_node(ExpressionId id, Environment& environment) {
  const ExpressionSyntax& expression = environment.syntax().at(id);
  const SourceSpan span = environment.shown(expression.span);
  if (num_parts_ > kMaxParts) {
    return std::nullopt;  // reported; what is refused for other reasons counts too
  }
  if (++num_parts_ > kMaxParts) {
    return report(span, fmt::format("the expression has more than {} parts", kMaxParts),
                  "name parts of it in statements of their own");
  }
  if (depth_ >= kMaxDepth) {
    return report(span,
                  fmt::format("macros and expressions are nested more than {} deep", kMaxDepth),
                  "name parts of the expression in statements of their own");
  }
  ++depth_;
  struct Visitor {
    Resolver& resolver;
    SourceSpan span;
    Environment& environment;
    Resolved operator()(const NumberSyntax& number) { return resolver.add({number.value, span}); }
    Resolved operator()(const AccessSyntax& access) {
      return resolver.resolve_access(access, span, environment);
    }
    Resolved operator()(const CallSyntax& call) {
      return resolver.resolve_call(call, span, environment);
    }
    Resolved operator()(const ApplicationSyntax& application) {
      return resolver.resolve_application(application, span, environment);
    }
    Resolved operator()(const VersionSyntax&) { return resolver.refuse(span, kVersion); }
    Resolved operator()(const UnsupportedSyntax& unsupported) {
      return resolver.refuse(span, unsupported.feature);
    }
  };
  const std::string outside = std::exchange(macro_, environment.outermost_macro());
  const Resolved node = std::visit(Visitor{*this, span, environment}, expression.of);
  macro_ = outside;
  --depth_;
  return node;
}

void Resolver::give_sizes_outside() {
  for (const auto& [name, outside] : outside_) {
    const auto index = static_cast<size_t>(outside.index);
    std::vector<const StatementLabel*> bound;  // the statement's labels of that name
    for (const StatementLabel& label : result_.labels) {
      if (label.is_bound && !label.is_of_macro && label.name == name && label.extent) {
        bound.push_back(&label);
      }
    }
    const auto differs = std::find_if(bound.begin(), bound.end(), [&](const StatementLabel* label) {
      return label->extent != bound.front()->extent;
    });
    const auto header = scope_.label_sizes.find(name);
    if (differs != bound.end()) {
      report(outside.span,
             fmt::format("size({}) is {} in {} but {} in {}, and stands outside of both", name,
                         *bound.front()->extent, bound.front()->origin, *(*differs)->extent,
                         (*differs)->origin),
             fmt::format("write another label than {} in one of the two", name));
    } else if (!bound.empty()) {
      result_.labels[index].extent = bound.front()->extent;
    } else if (header == scope_.label_sizes.end() && !result_.reads_failed_tensor && !has_failed_) {
      const bool is_tensor = scope_.tensors.contains(name);
      report(outside.span,
             is_tensor ? fmt::format("{} is a tensor, and size takes a label", name)
                       : fmt::format("there is no label {} whose extent is known", name),
             fmt::format("size takes a label of the statement or of an input's header; or declare "
                         "it before: label {} = 10",
                         name));
    }
  }
}

void Resolver::report_unknown_labels() {
  for (const UnknownLabel& unknown : unknown_) {
    const auto is_summed = [&](const StatementLabel& label) {
      return label.is_bound && !label.is_bound_by_macro && !label.is_of_part &&
             label.name == unknown.name;
    };
    const bool is_summed_elsewhere =
        std::any_of(result_.labels.begin(), result_.labels.end(), is_summed);
    if (scope_.parameters.contains(unknown.name)) {
      report(unknown.span, fmt::format("{} is a parameter, not a label", unknown.name),
             fmt::format("write {} alone for its value", unknown.name));
    } else if (!unknown.macro.empty() && unknown.query.empty()) {
      report(unknown.span,
             fmt::format("{0} keeps the label {1}, and {1} is not on the left", unknown.macro,
                         unknown.name),
             fmt::format("add {} to {}, or reduce the result of {} over it", unknown.name,
                         defined_.empty() ? "the left side" : defined_ + "[...]", unknown.macro));
    } else if (is_summed_elsewhere && !unknown.query.empty()) {
      const std::string& name = unknown.name;
      report(
          unknown.span,
          fmt::format("{}({}) stands outside of the aggregate over {}", unknown.query, name, name),
          fmt::format("put parentheses around all that reads it: sum[{}] (... {}({}) ...)", name,
                      unknown.query, name));
    } else if (is_summed_elsewhere) {
      report(unknown.span,
             fmt::format("label {} is summed, but not here: an aggregate takes only the product "
                         "that follows it",
                         unknown.name),
             fmt::format("put parentheses around all that is summed: sum[{}] (...)", unknown.name));
    } else {
      const std::string left = defined_.empty() ? "the left side" : defined_ + "[...]";
      report(unknown.span, fmt::format("label {} is neither on the left nor summed", unknown.name),
             fmt::format("write sum[{0}] or add {0} to {1}", unknown.name, left));
    }
  }
}

void Resolver::complete_labels() {
  for (StatementLabel& label : result_.labels) {
    const auto is_same_but_summed = [&](const StatementLabel& other) {
      return other.is_bound && !other.is_of_macro && other.name == label.name;
    };
    if (!label.is_bound && !label.is_used &&
        std::any_of(result_.labels.begin(), result_.labels.end(), is_same_but_summed)) {
      report(label.written,
             fmt::format("label {} is on the left, but on the right it is only summed", label.name),
             fmt::format("take {0} from the left side, or from the labels of the aggregate",
                         label.name));
      continue;
    }
    const auto size = scope_.label_sizes.find(label.name);
    if (!label.extent && !label.is_of_macro && size != scope_.label_sizes.end()) {
      label.extent = size->second.extent;
    }
    const auto number = static_cast<LabelIndex>(&label - result_.labels.data());
    const auto joins_it = [&](const ResolvedNode& node) {
      const ResolvedConcat* concat = concat_at(node);
      return concat != nullptr && concat->along == number;
    };
    if (!label.extent && std::any_of(result_.nodes.begin(), result_.nodes.end(), joins_it)) {
      continue;  // a part of it without an extent is reported
    }
    const bool is_computed_on_left =
        std::any_of(result_.left.begin(), result_.left.end(), [&](const LeftMode& mode) {
          return mode.is_computed && mode.place.labels.front().label == number;
        });
    if (!label.extent && !result_.reads_failed_tensor && !has_failed_ &&
        !report_unknown_groups(number)) {
      report(label.written,
             fmt::format("label {} has no extent: no tensor is read with it", label.name),
             label.is_of_part ? "compute this part in a statement of its own"
             : is_computed_on_left
                 ? fmt::format("declare it before: label {} = 10; {}", label.name, kRecurrenceHelp)
                 : fmt::format("declare it before: label {} = 10", label.name));
    }
  }
}

void Resolver::report_unsound_indices() {
  for (const UnsoundIndex& index : unsound_indices(result_)) {
    switch (index.fault) {
      case UnsoundIndex::Fault::out_of_range:
        report_out_of_range(index);
        break;
      case UnsoundIndex::Fault::no_element:
        report(index.span,
               fmt::format("{} has no element here that stands for those outside", index.tensor),
               "pad with a number: pad(0)");
        break;
      case UnsoundIndex::Fault::too_large:
        report(index.span, "this index grows beyond 2^61");
        break;
    }
  }
}

void Resolver::report_out_of_range(const UnsoundIndex& index) {
  std::string where;
  for (const auto& [label, position] : index.labels) {
    where += fmt::format("{}{} = {}", where.empty() ? " where " : ", ",
                         result_.labels[static_cast<size_t>(label)].name, position);
  }
  report(index.span,
         fmt::format("this index is {}{}, and {} has {} there", index.position, where, index.tensor,
                     index.extent == 0 ? std::string("no position")
                                       : fmt::format("the positions 0 to {}", index.extent - 1)),
         "say what stands outside, behind the index: pad(0), pad(edge) or pad(reflect)");
}

std::optional<ResolvedExpression> Resolver::resolve(ExpressionId root, Environment& environment,
                                                    std::optional<ExpressionId> condition) {
  num_left_ = static_cast<LabelIndex>(result_.labels.size());
  const Resolved node = resolve_node(root, environment);
  if (node && condition) {
    result_.condition = resolve_node(*condition, environment);
  }
  give_sizes_outside();
  report_unused_groups();
  report_unknown_labels();
  if (!has_failed_) {
    give_largest_extents(result_);
  }
  if (!has_failed_) {
    check_concats();
  }
  complete_labels();
  if (!has_failed_) {
    report_unsound_indices();
    report_elements_without_groups();
  }
  if (!node || has_failed_ || result_.reads_failed_tensor) {
    return std::nullopt;
  }
  result_.root = *node;
  mark_positions(result_);
  add_guards(result_);
  return std::move(result_);
}

}  // namespace tessera::frontend
