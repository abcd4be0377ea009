#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/source.h"

namespace tessera {

/// The severity of a finding: an error keeps the text from being used, a warning does not.
enum class Severity { error, warning };

/// One finding about a source text: the fault, its place, and what would work.
struct Diagnostic {
  ErrorKind kind = ErrorKind::user;
  SourceSpan span;
  std::string message;             // the fault, with the label, the operand and both extents
  std::string help;                // what would work; may be empty
  std::vector<SourceSpan> others;  // other places that belong to it, each shown with its line
  std::optional<Remedy> remedy = std::nullopt;  // a setting that would help too
  Severity severity = Severity::error;
};

/// Up to `kLimit` findings about one source text, kept in the order of their places.
class Diagnostics {
 public:
  static constexpr size_t kLimit = 10;

  explicit Diagnostics(SourceText source) : source_(std::move(source)) {}

  /// Keeps the finding unless one at the same place is there already.
  void add(Diagnostic diagnostic);
  bool empty() const { return found_.empty(); }
  const std::vector<Diagnostic>& found() const { return found_; }
  const SourceText& source() const { return source_; }

  /// Renders every finding as `file:line:column: error: message` (or `warning:`), its line with
  /// carets, its help, its remedy in the caller's words if there are any; then the number of
  /// further ones.
  std::string render(RemedyWords words = nullptr) const;

 private:
  SourceText source_;
  std::vector<Diagnostic> found_;
  size_t dropped_ = 0;
};

/// A value with its warnings, or the findings that explain why there is none.
template <class T>
class Result {
 public:
  // Both appear where a Result is returned.
  // NOLINTBEGIN(google-explicit-constructor)
  Result(T value) : value_(std::move(value)) {}
  Result(T value, Diagnostics warnings)
      : value_(std::move(value)), diagnostics_(std::move(warnings)) {}
  Result(Diagnostics diagnostics) : diagnostics_(std::move(diagnostics)) {}
  // NOLINTEND(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  const Diagnostics& diagnostics() const { return *diagnostics_; }

  /// Returns null if there is no value; the caller reads the findings then.
  const Diagnostics* warnings() const { return value_ && diagnostics_ ? &*diagnostics_ : nullptr; }

  /// Returns the value; throws the findings as an Error if there is none.
  T& value() & {
    if (!value_) {
      throw Error(*diagnostics_);
    }
    return *value_;
  }
  T&& value() && { return std::move(value()); }

 private:
  std::optional<T> value_;
  std::optional<Diagnostics> diagnostics_;
};

}  // namespace tessera
