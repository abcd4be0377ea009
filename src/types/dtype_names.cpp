#include "types/dtype_names.h"

#include "types/dtype.h"

namespace tessera {

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const DType dtype : all_dtypes()) {
    names.emplace_back(name_of(dtype));
    names.emplace_back(numpy_name(dtype));
  }
  return names;
}

}  // namespace tessera
