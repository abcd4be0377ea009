#include "kernels/kernel.h"

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

}  // namespace tessera::kernels
