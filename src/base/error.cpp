#include "base/error.h"

#include <algorithm>
#include <string_view>

#include "base/diagnostic.h"

namespace tessera {

namespace {

constexpr int kExcerptIndent = 4;

ErrorKind kind_of(const Diagnostics& findings) {
  const auto is_unsupported = [](const Diagnostic& finding) {
    return finding.kind == ErrorKind::unsupported;
  };
  return std::all_of(findings.found().begin(), findings.found().end(), is_unsupported)
             ? ErrorKind::unsupported
             : ErrorKind::user;
}

}  // namespace

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::user:
      return "error";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::resource:
      return "resource error";
    case ErrorKind::interrupted:
      return "interrupted";
    case ErrorKind::internal:
      return "internal error";
  }
  return "error";
}

Error::Error(Diagnostics findings)
    : kind_(kind_of(findings)),
      message_(findings.render()),
      findings_(std::make_shared<const Diagnostics>(std::move(findings))) {}

void Error::show_places_in(const SourceText& source) {
  for (ErrorContext& context : context_) {
    if (context.place && context.place->source == source.name) {
      context.excerpt = excerpt_of(source, span_of(source, *context.place), kExcerptIndent);
    }
  }
}

std::string Error::full_text(RemedyWords words) const {
  std::string text = findings_ && words != nullptr ? findings_->render(words) : message_;
  for (const ErrorContext& context : context_) {
    text += "\n  " + context.text + (context.excerpt.empty() ? "" : "\n" + context.excerpt);
  }
  if (words != nullptr) {
    for (const Remedy& remedy : remedies_) {
      text += "\n  help: " + words(remedy);
    }
  }
  return text;
}

void fail_check(const char* file, int line, const char* condition, const std::string& message) {
  throw Error(ErrorKind::internal,
              fmt::format("{} ({} is false at {}:{})", message, condition, file, line));
}

}  // namespace tessera
