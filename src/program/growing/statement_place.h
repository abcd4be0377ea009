#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/source.h"

namespace tessera::program {

/// The part of the user's text that a statement comes from.
struct StatementPlace {
  SourceSpan span = {};                                // empty if no part says it
  std::shared_ptr<const SourceText> source = nullptr;  // null: the text that is executed
};

/// Throws an error of a statement as the user is to see it, with this place.
using ShowError = std::function<void(const Error& error, const StatementPlace& place)>;

/// While this lives, what is added to a program is said at this place.
template <class Program>
class PlaceOfStatements {
 public:
  /// A part of the text that is compiled. An empty span changes nothing.
  PlaceOfStatements(Program& program, SourceSpan span)
      : program_(program), before_(program.place()) {
    if (span.begin < span.end) {
      program.set_place({span, before_.source});
    }
  }
  /// A text of its own.
  PlaceOfStatements(Program& program, std::shared_ptr<const SourceText> source)
      : program_(program), before_(program.place()) {
    const SourceSpan whole{0, static_cast<int64_t>(source->text.size())};
    program.set_place({whole, std::move(source)});
  }
  ~PlaceOfStatements() { program_.set_place(before_); }
  PlaceOfStatements(const PlaceOfStatements&) = delete;
  PlaceOfStatements& operator=(const PlaceOfStatements&) = delete;

 private:
  Program& program_;
  StatementPlace before_;
};

}  // namespace tessera::program
