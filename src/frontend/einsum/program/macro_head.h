#pragma once

#include "base/diagnostic.h"
#include "frontend/einsum/program/syntax.h"

namespace tessera::frontend {

/// Reports names that stand twice in the head of a macro, and an argument without a default after
/// one with a default.
void check_macro_head(const MacroStatement& macro, Diagnostics& findings);

}  // namespace tessera::frontend
