#pragma once

namespace tessera::frontend {

/// The macros every program starts with (prelude.ein), as text of the language.
const char* prelude_text();

}  // namespace tessera::frontend
