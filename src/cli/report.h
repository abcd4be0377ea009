#pragma once

#include "base/error.h"

namespace tessera::cli {

/// Reports an error on stderr; findings about a source text give their place and kind themselves.
void report(const Error& error);

}  // namespace tessera::cli
