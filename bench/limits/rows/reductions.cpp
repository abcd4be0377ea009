#include <fmt/format.h>

#include "loops/memory.h"
#include "row.h"

namespace tessera::bench {

namespace {

Row reduction(const std::string& aggregate, DType dtype, const std::string& over,
              const Shape& shape) {
  const std::string all = shape.size() == 3 ? "ijk" : "ij";
  std::string kept;
  std::string axes;
  for (size_t mode = 0; mode < all.size(); ++mode) {
    if (over.find(all[mode]) == std::string::npos) {
      kept += all[mode];
    } else {
      axes += fmt::format("{}, ", mode);
    }
  }
  const ArrayType type{dtype, shape};
  const std::string target = kept.empty() ? "R" : fmt::format("R[{}]", fmt::join(kept, ","));
  Row row{.name = fmt::format("{}[{}] of {}", aggregate, fmt::join(over, ","), to_string(type)),
          .program = fmt::format("input X[{}]\n{} = {}[{}] X[{}]", fmt::join(all, ","), target,
                                 aggregate, fmt::join(over, ","), fmt::join(all, ",")),
          .inputs = {{"X", type, dtype == DType::u8 ? 0 : -2}},
          .work = {static_cast<double>(size_in_bytes(type)), true},
          .bar = 1 / 0.9,
          .limits = {read_loop()}};
  const bool one_axis = over.size() == 1;
  const std::string axis = one_axis ? axes.substr(0, 1) : fmt::format("({})", axes);
  row.numpy = fmt::format("X.{}({})", aggregate, axis);
  return row;
}

}  // namespace

std::vector<Row> reduction_rows() {
  constexpr int64_t kSide = 8192;
  std::vector<Row> rows;
  for (const char* const over : {"j", "i", "ij"}) {
    for (const char* const aggregate : {"sum", "max", "mean"}) {
      rows.push_back(reduction(aggregate, DType::f32, over, {kSide, kSide}));
    }
  }
  rows.push_back(reduction("argmax", DType::f32, "j", {kSide, kSide}));
  rows.push_back(reduction("argmax", DType::f32, "i", {kSide, kSide}));
  rows.push_back(reduction("sum", DType::f32, "j", {512, 256, 512}));
  rows.push_back(reduction("sum", DType::f32, "ik", {512, 256, 512}));
  for (const DType dtype :
       {DType::i8, DType::u8, DType::i32, DType::i64, DType::f64, DType::c64, DType::c128}) {
    const int64_t bytes = size_of(dtype);
    const int64_t side = bytes == 1 ? 2 * kSide : bytes == 16 ? kSide / 2 : kSide;
    rows.push_back(reduction("sum", dtype, "j", {kSide, side}));
    rows.push_back(reduction("sum", dtype, "i", {kSide, side}));
    if (is_integer(dtype)) {
      rows.push_back(reduction("mean", dtype, "j", {kSide, side}));
      rows.push_back(reduction("mean", dtype, "i", {kSide, side}));
    }
  }
  return rows;
}

}  // namespace tessera::bench
