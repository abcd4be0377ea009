#include "kernels/kernel.h"

#include <algorithm>

#include "base/error.h"

namespace tessera::kernels {

std::string describe(Status status) {
  switch (status) {
    case Status::ok:
      return "no fault";
    case Status::integer_division_by_zero:
      return "an integer was divided by zero";
    case Status::out_of_range:
      return "an index lies outside the tensor it reads";
  }
  throw_error(ErrorKind::internal, "no such status: {}", static_cast<int>(status));
}

std::string Kernel::refusal(const expr::TileProgram& program, const CallShape& shape) const {
  const auto has_leaf = [](const expr::TileStatement& statement) {
    return statement.leaf.has_value();
  };
  if (!keeps_leaf_order &&
      std::any_of(program.statements.begin(), program.statements.end(), has_leaf)) {
    return "it reduces in an order of its own, not leaf by leaf";
  }
  return refuses(program, shape);
}

}  // namespace tessera::kernels
