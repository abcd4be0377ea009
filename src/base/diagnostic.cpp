#include "base/diagnostic.h"

#include <algorithm>

namespace tessera {

void Diagnostics::add(Diagnostic diagnostic) {
  const auto same_place = [&](const Diagnostic& other) { return other.span == diagnostic.span; };
  if (std::any_of(found_.begin(), found_.end(), same_place)) {
    return;
  }
  if (found_.size() == kLimit) {
    ++dropped_;
    return;
  }
  const auto later = [](const Diagnostic& a, const Diagnostic& b) {
    return a.span.begin < b.span.begin;
  };
  found_.insert(std::upper_bound(found_.begin(), found_.end(), diagnostic, later),
                std::move(diagnostic));
}

std::string Diagnostics::render(RemedyWords words) const {
  std::string text;
  for (const Diagnostic& diagnostic : found_) {
    const SourcePosition place = position_of(source_, diagnostic.span.begin);
    const bool is_warning = diagnostic.severity == Severity::warning;
    text += fmt::format("{}:{}:{}: {}: {}\n{}\n", source_.name, place.line, place.column,
                        is_warning ? "warning" : name_of(diagnostic.kind), diagnostic.message,
                        excerpt_of(source_, diagnostic.span));
    for (const SourceSpan& other : diagnostic.others) {
      const SourcePosition at = position_of(source_, other.begin);
      text += fmt::format("  and {}:{}:{}\n{}\n", source_.name, at.line, at.column,
                          excerpt_of(source_, other));
    }
    if (!diagnostic.help.empty()) {
      text += fmt::format("  help: {}\n", diagnostic.help);
    }
    if (diagnostic.remedy && words != nullptr) {
      text += fmt::format("  help: {}\n", words(*diagnostic.remedy));
    }
  }
  if (dropped_ > 0) {
    text += fmt::format("and {} more\n", dropped_);
  }
  if (!text.empty()) {
    text.pop_back();  // the caller ends the line
  }
  return text;
}

}  // namespace tessera
