#pragma once

#include <string>

namespace tessera::frontend {

/// What to write for a name that other languages, numpy's above all, have for something that this
/// one says in another way: for `mod`, "write a % b". Empty where there is nothing to say.
std::string cure_for_foreign_name(const std::string& name);

}  // namespace tessera::frontend
