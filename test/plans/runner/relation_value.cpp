#include "plans/runner/relation_value.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "kernels/reference/interpreter.h"

namespace tessera::plans {

namespace {

/// Where a label runs under a key: its piece or window where the key counts it, else all of it.
kernels::LabelRange range_of(const std::string& label, int64_t extent,
                             const std::vector<tra::KeyDim>& dims, const Key& key) {
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    const std::optional<tra::PieceSpan> span = tra::span_of(dims[dim], key[dim]);
    if (span && tra::label_of(dims[dim]) == label) {
      return {span->begin, span->length};
    }
  }
  return {0, extent};
}

}  // namespace

Array new_array(DType dtype, Box box) {
  const int64_t size = num_elements(box.extent) * size_of(dtype);
  // One byte at least, so that data() is an address.
  return {
      dtype, std::move(box),
      std::make_shared<std::vector<std::byte>>(static_cast<size_t>(std::max<int64_t>(size, 1)))};
}

bool operator==(const Array& a, const Array& b) {
  return a.dtype == b.dtype && a.box == b.box && *a.bytes == *b.bytes;
}

Box box_of(const tra::RelationType& type, size_t column, const Key& key) {
  Box box;
  for (const tra::Mode& mode : type.columns[column].modes) {
    const kernels::LabelRange range = range_of(mode.label, mode.extent, type.key, key);
    box.origin.push_back(range.begin);
    box.extent.push_back(range.length);
  }
  return box;
}

Tuple placed_as(Tuple tuple, const tra::RelationType& type, const Key& key) {
  for (size_t column = 0; column < tuple.size(); ++column) {
    Box box = box_of(type, column, key);
    TESSERA_CHECK(box.extent == tuple[column].box.extent, "an array of {} stands for one of {}",
                  to_string(tuple[column].box.extent), to_string(box.extent));
    tuple[column].box = std::move(box);
  }
  return tuple;
}

Tuple computed(const expr::TileProgram& program, const Tuple& inputs,
               const std::vector<tra::KeyDim>& dims, const Key& key,
               const tra::RelationType& type) {
  kernels::CallShape shape;
  for (const expr::LabelDecl& label : program.labels) {
    shape.ranges.push_back(range_of(label.name, label.extent, dims, key));
  }
  std::vector<TileView> in;
  for (const Array& input : inputs) {
    in.push_back(input.view());
  }
  Tuple outputs;
  std::vector<TileView> out;
  for (size_t column = 0; column < type.columns.size(); ++column) {
    outputs.push_back(new_array(type.columns[column].dtype, box_of(type, column, key)));
    out.push_back(outputs.back().view());
  }
  const kernels::Interpreter interpreter(program, shape);
  struct alignas(64) Unit {
    std::byte bytes[64];
  };
  std::vector<Unit> workspace(
      static_cast<size_t>(kernels::Interpreter::workspace_bytes(program, shape) / 64 + 1));
  const kernels::Status status =
      interpreter.run({in, out, shape.ranges, false, workspace.front().bytes});
  TESSERA_USER_CHECK(status == kernels::Status::ok, "{}", kernels::describe(status));
  return outputs;
}

}  // namespace tessera::plans
