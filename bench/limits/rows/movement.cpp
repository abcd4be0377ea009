#include <fmt/format.h>

#include "loops/memory.h"
#include "row.h"

namespace tessera::bench {

namespace {

/// The modes of X in another order: letters, as in "ijk" to "kji".
Row permutation(DType dtype, const Shape& shape, const std::string& from, const std::string& to) {
  const auto list = [](const std::string& letters) {
    return fmt::format("{}", fmt::join(letters, ","));
  };
  std::string axes;
  for (const char letter : to) {
    axes += fmt::format("{}, ", from.find(letter));
  }
  const ArrayType type{dtype, shape};
  return {.name = fmt::format("{}->{} {}", from, to, to_string(type)),
          .program = fmt::format("input X[{}]\nR[{}] = X[{}]", list(from), list(to), list(from)),
          .inputs = {{"X", type}},
          .work = {2.0 * static_cast<double>(size_in_bytes(type)), true},
          .bar = 1.25,
          .limits = {copy_loop()},
          .numpy = fmt::format("np.ascontiguousarray(X.transpose({}))", axes),
          .torch = fmt::format("X.permute({}).contiguous()", axes)};
}

}  // namespace

/// A copy gives other results: it is compared with nothing.
std::vector<Row> movement_rows() {
  return {permutation(DType::f32, {8192, 8192}, "ij", "ji"),
          permutation(DType::f64, {4096, 4096}, "ij", "ji"),
          permutation(DType::u8, {12000, 12000}, "ij", "ji"),
          permutation(DType::c128, {3000, 3000}, "ij", "ji"),
          permutation(DType::f32, {300, 400, 350}, "ijk", "kji"),
          permutation(DType::f32, {300, 400, 350}, "ijk", "jki"),
          permutation(DType::f32, {300, 400, 350}, "ijk", "jik"),
          permutation(DType::f32, {64, 512, 16, 64}, "bshd", "bhsd"),
          permutation(DType::f32, {12, 12, 12, 12, 12, 12, 12}, "abcdefg", "gfedcba"),
          permutation(DType::f32, {10, 10, 10, 10, 10, 10, 10, 3}, "abcdefgh", "hbdfaceg")};
}

}  // namespace tessera::bench
