#include <algorithm>

#include "base/suggest.h"
#include "frontend/einsum/program/resolver.h"

namespace tessera::frontend {

namespace {

constexpr std::string_view kCumulative = "cum";
constexpr std::string_view kScan = "scan";
constexpr std::string_view kReverse = "reverse";
constexpr std::string_view kExclusive = "exclusive";

/// Returns the call after scan[i], whose function is the aggregate.
const CallSyntax* call_of(const ApplicationSyntax& application, const ProgramSyntax& syntax) {
  return application.arguments.size() == 1
             ? std::get_if<CallSyntax>(&syntax.at(application.arguments[0]).of)
             : nullptr;
}

}  // namespace

std::optional<std::string> Resolver::scanned_by(const ApplicationSyntax& application,
                                                const Environment& environment) const {
  const std::string& name = application.name.text;
  if (name == kScan) {
    const CallSyntax* call = call_of(application, environment.syntax());
    return call == nullptr || call->is_operator ? "" : call->function.text;
  }
  const bool is_cumulative = name.substr(0, kCumulative.size()) == kCumulative;
  const std::string rest = is_cumulative ? name.substr(kCumulative.size()) : "";
  return is_aggregate(rest) ? std::optional(rest) : std::nullopt;
}

std::optional<std::vector<ExpressionId>> Resolver::scanned(const ApplicationSyntax& application,
                                                           const std::string& aggregate,
                                                           SourceSpan span,
                                                           const Environment& environment) {
  const bool is_called = application.name.text == kScan;
  if (is_called && !is_aggregate(aggregate)) {
    std::vector<std::string> known = vocabulary_.aggregates.names();
    for (const auto& [name, unused] : scope_.aggregates) {
      known.push_back(name);
    }
    const std::string hint = aggregate.empty() ? "" : did_you_mean(aggregate, known);
    report(environment.shown(span),
           aggregate.empty() ? "scan[i] takes an aggregate and what it merges"
                             : fmt::format("there is no aggregate {}", aggregate),
           hint.empty() ? "write scan[i] sum(X[i]), or an aggregate of your own" : hint);
    return std::nullopt;
  }
  const CallSyntax* call = is_called ? call_of(application, environment.syntax()) : nullptr;
  const std::vector<ExpressionId>& arguments =
      call != nullptr ? call->arguments : application.arguments;
  const auto own = scope_.aggregates.find(aggregate);
  const size_t num_entries = own == scope_.aggregates.end() ? 1 : own->second.combine.size();
  if (arguments.size() != num_entries) {
    report(environment.shown(span),
           fmt::format("{} merges {} at every position, not {}", aggregate,
                       num_entries == 1 ? std::string("one number")
                                        : fmt::format("{} numbers", num_entries),
                       arguments.size()),
           num_entries == 1 ? fmt::format("write cum{}[i] x", aggregate)
                            : fmt::format("write scan[i] {}(x, y)", aggregate));
    return std::nullopt;
  }
  return arguments;
}

std::nullopt_t Resolver::refuse_order(const IndexSyntax& index, const Environment& environment) {
  const SourceSpan place = environment.shown(index.span);
  return report(place, "only the label of a scan is followed by an order",
                "cumsum[i reverse exclusive by g[i]] x; labels are separated by commas");
}

bool Resolver::read_order(const ScanOrderSyntax& order, ResolvedScan& scan,
                          Environment& environment) {
  for (const NameSyntax& word : order.words) {
    if (word.text == kReverse && !scan.is_reverse) {
      scan.is_reverse = true;
    } else if (word.text == kExclusive && !scan.is_exclusive) {
      scan.is_exclusive = true;
    } else {
      report(environment.shown(word.span), fmt::format("{} is no order of a scan", word.text),
             "behind the label stand reverse, exclusive and by g[i], each at most once");
      return false;
    }
  }
  if (order.segments) {
    scan.segments = resolve_node(*order.segments, environment);
    return scan.segments.has_value();
  }
  return true;
}

Resolver::Resolved Resolver::resolve_scan(const ApplicationSyntax& application,
                                          const std::string& aggregate, SourceSpan span,
                                          Environment& environment) {
  if (application.condition) {
    return report(environment.shown(environment.syntax().at(*application.condition).span),
                  "a scan takes no condition",
                  "write what counts for nothing where it is false: cumsum[i] where(c, x, 0)");
  }
  const auto labels = plain_labels(application.labels, environment);
  if (!labels) {
    return std::nullopt;
  }
  if (labels->size() != 1) {
    return report(
        environment.shown(span),
        fmt::format("{}[...] runs along one label, not {}", application.name.text, labels->size()),
        fmt::format("write {}[i] x", application.name.text));
  }
  const auto arguments = scanned(application, aggregate, span, environment);
  if (!arguments) {
    return std::nullopt;
  }
  MacroUse use{application.name.text, {environment.spelled(labels->front().text)}};
  used_.push_back(&use);
  ResolvedScan scan{aggregate, use_label(labels->front(), environment), false, false, {}, {}};
  used_.pop_back();
  const std::optional<ScanOrderSyntax>& order = application.labels.front().order;
  if (order && !read_order(*order, scan, environment)) {
    return std::nullopt;
  }
  std::optional<std::vector<int32_t>> merged = resolve_all(*arguments, environment);
  if (!merged) {
    return std::nullopt;
  }
  scan.arguments = std::move(*merged);
  return add({std::move(scan), span});
}

}  // namespace tessera::frontend
