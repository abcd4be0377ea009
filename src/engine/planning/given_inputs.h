#pragma once

#include "engine/planning/stage_text.h"
#include "frontend/einsum/einsum.h"

namespace tessera::engine {

/// Refuses arguments for the text of a stage that do not belong to it: parameters, inputs that it
/// does not read, other types than its own. Nothing has to be given to plan it. Errors: `user`,
/// with the name and both types.
void check_given(const Start& start, const frontend::Bindings& given);

}  // namespace tessera::engine
