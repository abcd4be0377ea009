#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/diagnostic.h"

namespace tessera::frontend::sql {

/// The first finding of a statement, as an exception; parse() catches it and continues with the
/// next statement.
struct Finding {
  Diagnostic diagnostic;
};

[[noreturn]] inline void fail(SourceSpan span, std::string message, std::string help = "") {
  throw Finding{{ErrorKind::user, span, std::move(message), std::move(help), {}}};
}

/// Refuses syntax of PostgreSQL's grammar that is not supported. `feature` is the user's name for
/// it: `FOR UPDATE`.
[[noreturn]] inline void refuse(SourceSpan span, std::string_view feature, std::string help = "") {
  throw Finding{{ErrorKind::unsupported,
                 span,
                 std::string(feature) + " is not supported",
                 std::move(help),
                 {}}};
}

}  // namespace tessera::frontend::sql
