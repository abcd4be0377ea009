#include "sql/scalar_value.h"

#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "types/native.h"

namespace tessera::sql {

database::Value scalar_value(const TileView& tensor, int64_t position) {
  return visit_storage_type(tensor.dtype, [&]<class T>(std::type_identity<T>) -> database::Value {
    const T element = tensor.as<T>()[position];
    if constexpr (std::is_same_v<T, uint64_t>) {
      return std::in_range<int64_t>(element) ? database::Value(static_cast<int64_t>(element))
                                             : database::Value(static_cast<double>(element));
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<int64_t>(element);
    } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                         std::is_same_v<T, std::complex<double>>) {
      return fmt::format("{}{:+}j", element.real(), element.imag());  // as numpy writes it
    } else {
      return static_cast<double>(
          static_cast<std::conditional_t<sizeof(T) == 2, float, T>>(element));
    }
  });
}

}  // namespace tessera::sql
