#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/diagnostic.h"

namespace tessera::frontend::sql {

/// The first finding of a statement, thrown from wherever it is found; parse() catches it and goes
/// on with the next statement.
struct Finding {
  Diagnostic diagnostic;
};

[[noreturn]] inline void fail(SourceSpan span, std::string message, std::string help = "") {
  throw Finding{{ErrorKind::user, span, std::move(message), std::move(help), {}}};
}

/// For what PostgreSQL's grammar takes and we do not. `feature` as its user would name it: `FOR
/// UPDATE`.
[[noreturn]] inline void refuse(SourceSpan span, std::string_view feature, std::string help = "") {
  throw Finding{{ErrorKind::unsupported,
                 span,
                 std::string(feature) + " is not supported",
                 std::move(help),
                 {}}};
}

}  // namespace tessera::frontend::sql
