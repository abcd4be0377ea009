#pragma once

namespace tessera::frontend {

/// Returns the macros that every program starts with (prelude.ein), as text of the language.
const char* prelude_text();

}  // namespace tessera::frontend
