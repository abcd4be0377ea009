// Long because keep and groups are counted alike, by nodes that are made alike.
#include "frontend/einsum/program/counted_syntax.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/overload.h"
#include "expr/function_ids.h"
#include "frontend/einsum/program/language_calls.h"
#include "types/dtype.h"

namespace tessera::frontend {

namespace {

/// Returns the names of a program that are no labels: those of tensors and parameters.
std::set<std::string> names_of_values(const ProgramSyntax& syntax) {
  std::set<std::string> names;
  for (const Statement& statement : syntax.statements) {
    std::visit(
        Overload{[&](const InputStatement& inputs) {
                   for (const InputSyntax& input : inputs.inputs) {
                     names.insert(input.name.text);
                   }
                 },
                 [&](const ParameterStatement& parameter) { names.insert(parameter.name.text); },
                 [&](const Assignment& assignment) { names.insert(assignment.name.text); },
                 [](const Among<LabelStatement, MacroStatement, AggregateStatement, OutputStatement,
                                CountStatement> auto&) {}},
        statement.of);
  }
  return names;
}

bool defines_keep(const ProgramSyntax& syntax) {
  return std::any_of(syntax.statements.begin(), syntax.statements.end(),
                     [](const Statement& statement) {
                       const auto* macro = std::get_if<MacroStatement>(&statement.of);
                       return macro != nullptr && macro->name.text == kKeep;
                     });
}

class CountedSyntax {
 public:
  CountedSyntax(ProgramSyntax syntax, Diagnostics& findings)
      : syntax_(std::move(syntax)),
        values_(names_of_values(syntax_)),
        has_own_keep_(defines_keep(syntax_)),
        findings_(findings) {}

  ProgramSyntax run() && {
    std::vector<Statement> statements = std::exchange(syntax_.statements, {});
    for (Statement& statement : statements) {
      span_ = statement.span;
      if (auto* assignment = std::get_if<Assignment>(&statement.of)) {
        add(std::move(*assignment));
      } else {
        syntax_.statements.push_back(std::move(statement));
      }
    }
    return std::move(syntax_);
  }

 private:
  // ---- nodes; each stands where the user wrote the part that it is made for

  ExpressionId add_node(ExpressionSyntax node) {
    syntax_.expressions.push_back(std::move(node));
    return ExpressionId(static_cast<int64_t>(syntax_.expressions.size()) - 1);
  }
  ExpressionId name(const NameSyntax& name) {
    return add_node({AccessSyntax{name, {}, false}, name.span, 1});
  }
  IndexSyntax index(const NameSyntax& label) { return {name(label), {}, false, label.span}; }
  ExpressionId element(const NameSyntax& tensor, std::vector<IndexSyntax> indices) {
    return add_node({AccessSyntax{tensor, std::move(indices), true}, tensor.span, 2});
  }
  ExpressionId call(const std::string& function, ExpressionId argument, SourceSpan place) {
    return add_node({CallSyntax{{function, place}, {argument}}, place, depth_above(argument)});
  }
  ExpressionId apply(const std::string& aggregate, std::vector<IndexSyntax> labels,
                     ExpressionId argument, SourceSpan place,
                     std::optional<ExpressionId> condition = std::nullopt) {
    return add_node(
        {ApplicationSyntax{{aggregate, place}, std::move(labels), {argument}, condition}, place,
         depth_above(argument)});
  }
  ExpressionId number(int64_t value, SourceSpan place) {
    return add_node({NumberSyntax{value}, place, 1});
  }
  ExpressionId sum_of(ExpressionId a, ExpressionId b) {
    const SourceSpan place = syntax_.at(b).span;
    return add_node({CallSyntax{{expr::id::kAdd, place}, {a, b}, true}, place,
                     std::max(depth_above(a), depth_above(b))});
  }
  ExpressionId larger(ExpressionId a, ExpressionId b) {
    const SourceSpan place = syntax_.at(a).span;
    return add_node({CallSyntax{{expr::id::kMaximum, place}, {a, b}, true}, place,
                     std::max(depth_above(a), depth_above(b))});
  }
  ExpressionId choose(ExpressionId condition, ExpressionId yes, ExpressionId no) {
    return add_node({CallSyntax{{expr::id::kWhere, syntax_.at(yes).span}, {condition, yes, no}},
                     syntax_.at(yes).span, depth_above(condition)});
  }
  ExpressionId either(ExpressionId a, ExpressionId b) {
    const SourceSpan place = syntax_.at(b).span;
    return add_node({CallSyntax{{expr::id::kLogicalOr, place}, {a, b}, true}, place,
                     std::max(depth_above(a), depth_above(b))});
  }
  int depth_above(ExpressionId id) const { return syntax_.at(id).depth + 1; }

  /// Returns the user's words at a span, without blanks.
  std::string words_of(SourceSpan span) const {
    std::string words = findings_.source().text.substr(static_cast<size_t>(span.begin),
                                                       static_cast<size_t>(span.end - span.begin));
    std::erase_if(words,
                  [](char letter) { return letter == ' ' || letter == '\t' || letter == '\n'; });
    return words;
  }

  // ---- statements

  void assign(NameSyntax tensor, std::vector<IndexSyntax> labels, ExpressionId value,
              std::optional<KeptLabel> kept = std::nullopt) {
    syntax_.statements.push_back(
        {Assignment{std::move(tensor), std::move(labels), value, {}, {}, std::move(kept)}, span_});
  }

  void add(Assignment assignment) {
    const auto* application = std::get_if<ApplicationSyntax>(&syntax_.at(assignment.value).of);
    if (application != nullptr && application->name.text == kKeep && !has_own_keep_) {
      const ApplicationSyntax keep = *application;
      if (const std::optional<NameSyntax> label = label_of(keep, assignment)) {
        add_kept(assignment, keep, *label);
      }
      return;
    }
    for (const IndexSyntax& each : assignment.labels) {
      const size_t place = assignment.group_counts.size();
      assignment.group_counts.push_back(count_of_groups(assignment, each, place));
    }
    syntax_.statements.push_back({std::move(assignment), span_});
  }

  // ---- keep

  /// Returns the label that is kept; nothing after a finding.
  std::optional<NameSyntax> label_of(const ApplicationSyntax& keep, const Assignment& assignment) {
    const SourceSpan place = syntax_.at(assignment.value).span;
    if (keep.labels.size() != 1 || !plain_label(keep.labels.front())) {
      return refuse(place, "keep takes one label",
                    "two labels are kept one after the other, in two statements");
    }
    const NameSyntax label = *plain_label(keep.labels.front());
    if (keep.arguments.size() != 1) {
      return refuse(place, fmt::format("keep takes one expression, not {}", keep.arguments.size()),
                    "two tensors are kept in two statements, by the same condition");
    }
    if (!keep.condition) {
      return refuse(place, fmt::format("nothing says which {} are kept", label.text),
                    fmt::format("keep[{0} where s[{0}] != 0] x", label.text));
    }
    const auto is_it = [&](const IndexSyntax& index) {
      const std::optional<NameSyntax> own = plain_label(index);
      return own && own->text == label.text;
    };
    const auto is_label = [&](const IndexSyntax& index) { return plain_label(index).has_value(); };
    if (!std::all_of(assignment.labels.begin(), assignment.labels.end(), is_label)) {
      return refuse(assignment.name.span, "what is kept has labels on the left",
                    "compute the index of an element in a statement of its own");
    }
    if (std::count_if(assignment.labels.begin(), assignment.labels.end(), is_it) != 1) {
      return refuse(label.span,
                    fmt::format("{} is kept, so it stands on the left, once", label.text), "");
    }
    return label;
  }

  std::optional<NameSyntax> refuse(SourceSpan span, std::string message, std::string help) {
    findings_.add({ErrorKind::user, span, std::move(message), std::move(help), {}});
    return std::nullopt;
  }

  std::optional<NameSyntax> plain_label(const IndexSyntax& index) const {
    if (index.is_slice || index.pad || index.order || index.label || index.num_groups) {
      return std::nullopt;
    }
    const auto* access = std::get_if<AccessSyntax>(&syntax_.at(*index.value).of);
    return access == nullptr || access->has_brackets ? std::nullopt : std::optional(access->name);
  }

  void add_kept(const Assignment& statement, const ApplicationSyntax& keep,
                const NameSyntax& label) {
    const SourceSpan condition = syntax_.at(*keep.condition).span;
    const auto named = [&](const char* what) {
      return NameSyntax{statement.name.text + what, condition};
    };
    add_rows(statement, keep, label);
    const NameSyntax whole = named(kept_names::kWhole);
    const NameSyntax kept = named(kept_names::kKept);
    // A sum reads the first positions of a mode that may be longer; a plain label would be as long.
    const IndexSyntax position = {sum_of(name(label), number(0, condition)), {}, false, condition};
    assign(whole, statement.labels, keep.arguments.front(),
           KeptLabel{label.text, kept, {}, false, element(kept, {position})});
    const NameSyntax rows = named(kept_names::kRows);
    std::vector<IndexSyntax> gathered;
    for (const IndexSyntax& each : statement.labels) {
      const bool is_label = plain_label(each)->text == label.text;
      const IndexSyntax row = {element(rows, {index(label)}), {}, false, each.span};
      gathered.push_back(is_label ? row : each);
    }
    assign(statement.name, statement.labels, element(whole, std::move(gathered)),
           KeptLabel{label.text, rows, {}, true});
  }

  /// Returns the condition and the kept expression as one expression, which fixes the extent of the
  /// label and tells which statements share its rows. Nothing computes it.
  KeptTogether together(const Assignment& statement, const ApplicationSyntax& keep,
                        const NameSyntax& label) {
    const SourceSpan place = syntax_.at(*keep.condition).span;
    const ExpressionId both = add_node(
        {CallSyntax{{expr::id::kEqual, place}, {*keep.condition, keep.arguments.front()}, true},
         place, depth_above(keep.arguments.front())});
    std::vector<std::string>& known = keeps_[{label.text, words_of(place)}];
    KeptTogether made{statement.labels, both, known};
    known.push_back(statement.name.text);
    return made;
  }

  /// Adds the positions of a label for which a condition holds, in order.
  void add_rows(const Assignment& statement, const ApplicationSyntax& keep,
                const NameSyntax& label) {
    const SourceSpan condition = syntax_.at(*keep.condition).span;
    const auto named = [&](const char* what) {
      return NameSyntax{statement.name.text + what, condition};
    };
    const NameSyntax kept = named(kept_names::kKept);
    const NameSyntax count = named(kept_names::kCount);
    const NameSyntax before = named(kept_names::kBefore);
    const auto is_kept = [&] { return element(kept, {index(label)}); };
    const auto one = [&] { return call(std::string(name_of(DType::i64)), is_kept(), condition); };

    assign(kept, {index(label)}, call(std::string(name_of(DType::b1)), *keep.condition, condition),
           KeptLabel{label.text, kept, together(statement, keep, label), false});
    const Assignment counted{count, {}, apply("sum", {index(label)}, one(), condition), {}, {}};
    syntax_.statements.push_back(
        {CountStatement{counted, fmt::format("{} of {}", label.text, statement.name.text)}, span_});
    IndexSyntax exclusive = index(label);
    exclusive.order = ScanOrderSyntax{{{"exclusive", condition}}, {}};
    assign(before, {index(label)}, apply("cumsum", {exclusive}, one(), condition));
    IndexSyntax place{element(before, {index(label)}), {}, false, condition};
    place.num_groups = name(count);
    assign(
        named(kept_names::kRows), {place},
        apply("sum", {index(label)}, call("index", name(label), condition), condition, is_kept()));
  }

  // ---- groups

  /// Returns the largest value of an index that groups: the number of groups if it does not say, or
  /// if an element needs a group although it says 0. A negative number that an aggregate takes
  /// counts as 0, so that there is a group and the run finds the fault; one that no aggregate takes
  /// counts as -1, which needs no group.
  std::optional<GroupCount> count_of_groups(const Assignment& assignment, const IndexSyntax& index,
                                            size_t place) {
    IndexSyntax number_alone = index;
    number_alone.num_groups.reset();
    if (index.is_slice || plain_label(number_alone)) {
      return std::nullopt;
    }
    std::set<std::string> labels;
    add_labels(*index.value, labels);
    if (labels.empty()) {
      return std::nullopt;
    }
    const TakenElements taken = taken_of(assignment.value, labels);
    // A number that may not exist is computed for the taken elements alone, and 0 groups are right
    // if nothing is taken.
    const bool takes_alone = taken.condition && (index.num_groups || may_fail(*index.value));
    const SourceSpan span = index.span;
    const ExpressionId group = call(std::string(kPosition), as_value(*index.value), span);
    ExpressionId least = number(taken.is_known ? 0 : -1, span);
    if (taken.condition && !takes_alone) {
      least = choose(*taken.condition, least, number(-1, span));
    }
    std::vector<IndexSyntax> over;
    for (const std::string& label : taken.labels) {
      over.push_back(this->index({label, span}));
    }
    const NameSyntax count{fmt::format("{}.groups{}", assignment.name.text,
                                       place == 0 ? std::string() : fmt::format("_{}", place + 1)),
                           span};
    return GroupCount{count,
                      apply("max", std::move(over), larger(group, least), span,
                            takes_alone ? taken.condition : std::nullopt),
                      taken.is_known};
  }

  /// True if the number of an element may not exist.
  bool may_fail(ExpressionId id) const {
    return std::visit(
        Overload{
            [](const Among<NumberSyntax, UnsupportedSyntax, VersionSyntax> auto&) { return false; },
            [&](const AccessSyntax& access) {
              return std::any_of(
                  access.indices.begin(), access.indices.end(), [&](const IndexSyntax& index) {
                    return index.value &&
                           !std::holds_alternative<NumberSyntax>(syntax_.at(*index.value).of) &&
                           !plain_label(index) && !index.is_slice;
                  });
            },
            [&](const CallSyntax& call) {
              const bool divides = call.function.text == expr::id::kFloorDivide ||
                                   call.function.text == expr::id::kRemainder;
              const bool by_number = divides && std::holds_alternative<NumberSyntax>(
                                                    syntax_.at(call.arguments.back()).of);
              const bool is_sum = call.function.text == expr::id::kAdd ||
                                  call.function.text == expr::id::kSubtract ||
                                  call.function.text == expr::id::kMultiply ||
                                  call.function.text == expr::id::kNegative ||
                                  parse_dtype(call.function.text) || by_number;
              return !is_sum || std::any_of(call.arguments.begin(), call.arguments.end(),
                                            [&](ExpressionId each) { return may_fail(each); });
            },
            [](const ApplicationSyntax&) { return true; }},
        syntax_.at(id).of);
  }

  /// The elements that are put into groups: those that at least one aggregate on the right takes,
  /// over the labels of the group and of these aggregates. Without a condition it is every element,
  /// or it is not known because a condition depends on more labels.
  struct TakenElements {
    std::set<std::string> labels;
    std::optional<ExpressionId> condition;
    bool is_known = true;
  };

  TakenElements taken_of(ExpressionId right, const std::set<std::string>& labels) {
    std::set<std::string> bound = labels;
    std::vector<ExpressionId> conditions;
    for (const ApplicationSyntax* grouped : grouped_by(right, labels)) {
      if (!grouped->condition) {
        return {labels, std::nullopt};
      }
      conditions.push_back(*grouped->condition);
      for (const IndexSyntax& each : grouped->labels) {
        bound.insert(plain_label(each)->text);
      }
    }
    std::optional<ExpressionId> any;
    for (const ExpressionId condition : conditions) {
      std::set<std::string> read;
      add_labels(condition, read);
      if (!std::includes(bound.begin(), bound.end(), read.begin(), read.end())) {
        return {labels, std::nullopt, false};
      }
      any = any ? either(*any, condition) : condition;
    }
    return {any ? bound : labels, any, any.has_value()};
  }

  /// Returns the aggregates that bind all of these labels.
  std::vector<const ApplicationSyntax*> grouped_by(ExpressionId right,
                                                   const std::set<std::string>& labels) const {
    std::vector<const ApplicationSyntax*> found;
    std::vector<ExpressionId> open = {right};
    while (!open.empty()) {
      const auto& of = syntax_.at(open.back()).of;
      open.pop_back();
      if (const auto* call = std::get_if<CallSyntax>(&of)) {
        open.insert(open.end(), call->arguments.begin(), call->arguments.end());
      } else if (const auto* application = std::get_if<ApplicationSyntax>(&of)) {
        open.insert(open.end(), application->arguments.begin(), application->arguments.end());
        std::set<std::string> bound;
        for (const IndexSyntax& each : application->labels) {
          const std::optional<NameSyntax> label = plain_label(each);
          bound.insert(label ? label->text : "");
        }
        if (!bound.contains("") &&
            std::includes(bound.begin(), bound.end(), labels.begin(), labels.end())) {
          found.push_back(application);
        }
      }
    }
    return found;
  }

  /// Returns an index written as a value, because a label is no position by itself: `i // 3`
  /// becomes `index(i) // 3`.
  ExpressionId as_value(ExpressionId id) {
    const ExpressionSyntax node = syntax_.at(id);  // a copy, as nodes are added meanwhile
    return std::visit(
        Overload{
            [&](const Among<NumberSyntax, UnsupportedSyntax, VersionSyntax> auto&) { return id; },
            [&](const AccessSyntax& access) {
              const bool is_label = !access.has_brackets && !values_.contains(access.name.text);
              return is_label ? call(std::string(kIndex), id, node.span) : id;
            },
            [&](const CallSyntax& of) {
              if (of.function.text == kIndex || of.function.text == kSize) {
                return id;
              }
              CallSyntax same = of;
              same.arguments = as_values(of.arguments);
              return add_node({std::move(same), node.span, node.depth + 1});
            },
            [&](const ApplicationSyntax& application) {
              ApplicationSyntax same = application;
              same.arguments = as_values(application.arguments);
              if (application.condition) {
                same.condition = as_value(*application.condition);
              }
              return add_node({std::move(same), node.span, node.depth + 1});
            }},
        node.of);
  }
  std::vector<ExpressionId> as_values(std::vector<ExpressionId> ids) {
    for (ExpressionId& id : ids) {
      id = as_value(id);
    }
    return ids;
  }

  /// Adds the free labels of an expression.
  void add_labels(ExpressionId id, std::set<std::string>& labels) const {
    std::visit(Overload{[](const Among<NumberSyntax, UnsupportedSyntax, VersionSyntax> auto&) {},
                        [&](const AccessSyntax& access) {
                          if (!access.has_brackets && !values_.contains(access.name.text)) {
                            labels.insert(access.name.text);
                          }
                          for (const IndexSyntax& index : access.indices) {
                            if (index.label) {
                              labels.insert(index.label->text);
                            }
                            if (index.value) {
                              add_labels(*index.value, labels);
                            }
                          }
                        },
                        [&](const CallSyntax& call) {
                          for (const ExpressionId argument : call.arguments) {
                            add_labels(argument, labels);
                          }
                        },
                        [&](const ApplicationSyntax& application) {
                          std::set<std::string> inside;
                          for (const ExpressionId argument : application.arguments) {
                            add_labels(argument, inside);
                          }
                          for (const IndexSyntax& bound : application.labels) {
                            const std::optional<NameSyntax> label = plain_label(bound);
                            inside.erase(label ? label->text : "");
                          }
                          labels.insert(inside.begin(), inside.end());
                        }},
               syntax_.at(id).of);
  }

  ProgramSyntax syntax_;
  const std::set<std::string> values_;
  const bool has_own_keep_;  // a macro of the user's
  /// The statements that keep a label by a condition, by label and condition.
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> keeps_;
  Diagnostics& findings_;
  SourceSpan span_;  // of the statement in progress
};

}  // namespace

int64_t num_groups_of(int64_t largest) {
  if (largest == kNoElement) {
    return 0;
  }
  return largest == INT64_MAX ? largest : std::max<int64_t>(largest + 1, 0);
}

ProgramSyntax with_counts(ProgramSyntax syntax, Diagnostics& findings) {
  return CountedSyntax(std::move(syntax), findings).run();
}

}  // namespace tessera::frontend
