#include "engine/explain/why_rule.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::engine {

namespace {

struct Described {
  std::string summary;
  std::string law;  // empty if only the rule's file states it
};

template <class Entry>
std::optional<Described> described(const Registry<Entry>& registry, const std::string& name) {
  const Entry* entry = registry.find(name);
  if (entry == nullptr) {
    return std::nullopt;
  }
  if constexpr (requires { entry->law; }) {
    return Described{entry->summary, entry->law};
  } else {
    return Described{entry->summary, ""};
  }
}

std::optional<Described> description_of(const std::string& name, const Setup& setup) {
  std::optional<Described> found = described(setup.rules(), name);
  const auto look_in = [&](const auto& registry) {
    found = found ? found : described(registry, name);
  };
  look_in(setup.relation_rules());
  look_in(setup.placement_rules());
  look_in(setup.passes().tra);
  look_in(setup.passes().ia);
  return found;
}

std::string applications_text(const optimizer::OptimizeReport& report, const std::string& name) {
  const auto known = report.applications.find(name);
  if (known == report.applications.end()) {
    return "it was not tried on this plan\n";
  }
  if (known->second == 0) {
    return "it changed nothing in this plan\n";
  }
  std::vector<std::string> places;
  for (const optimizer::Step& step : report.steps) {
    if (step.rule == name) {
      places.insert(places.end(), step.vertices.begin(), step.vertices.end());
    }
  }
  return fmt::format("it was applied {} {}{}{}\n", known->second,
                     known->second == 1 ? "time" : "times", places.empty() ? "" : ": at ",
                     fmt::join(places, ", "));
}

std::string reasons_text(const optimizer::OptimizeReport& report, const std::string& name) {
  std::string text;
  for (const optimizer::Reason& reason : report.reasons) {
    if (reason.rule == name && !reason.text.empty()) {
      text += fmt::format("  {}: {}\n", reason.vertex, reason.text);
    }
  }
  return text.empty() ? "" : "and otherwise not:\n" + text;
}

}  // namespace

bool is_rule(const std::string& name, const Session& session) {
  return description_of(name, session.setup()).has_value();
}

std::string why_rule(const Stages& stages, const std::string& name, const Session& session) {
  const Described rule = *description_of(name, session.setup());
  std::string text = fmt::format("rule {}: {}\n", name, rule.summary);
  text += rule.law.empty() ? "" : rule.law + "\n";
  const optimizer::OptimizeReport* report = stages.optimization();
  if (report == nullptr) {
    return text + "the text is behind all rules: none was tried";
  }
  text += applications_text(*report, name) + reasons_text(*report, name);
  text.pop_back();
  return text;
}

}  // namespace tessera::engine
