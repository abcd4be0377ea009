#pragma once

#include <string>

namespace tessera::frontend {

/// Returns the cure for a name of another language, numpy's above all, that this language has in
/// another form: for `mod`, "write a % b". Empty if there is none.
std::string cure_for_foreign_name(const std::string& name);

}  // namespace tessera::frontend
