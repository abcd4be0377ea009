#pragma once

#include <string>

#include "base/remedy.h"

namespace tessera::cli {

/// A remedy as the option that it is here: "--memory 1088".
std::string remedy_text(const Remedy& remedy);

}  // namespace tessera::cli
