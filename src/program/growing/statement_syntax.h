#pragma once

#include <vector>

#include "expr/function.h"
#include "frontend/einsum/program/statement_binder.h"
#include "program/growing/statement.h"
#include "types/array_type.h"

namespace tessera::program {

/// The statement as the binder of `.ein` takes it. The tensors that it reads have these types, in
/// the order of tensors_read(). Errors: `user` if it is nested too deeply.
frontend::KnownStatement syntax_of(const Assignment& assignment,
                                   const std::vector<ArrayType>& types,
                                   const expr::FunctionRegistry& functions);

}  // namespace tessera::program
