#pragma once

#include <string>
#include <utility>
#include <vector>

#include "unit/expr/registries.h"
#include "unit/kernels/kernel_runner.h"

namespace tessera::kernels {

/// out[...] = sum over k of a[...] * b[...], with labels named by letters.
struct Product {
  Product(const std::vector<std::pair<char, int64_t>>& extents, const std::string& a,
          const std::string& b, const std::string& out, DType dtype = DType::f32) {
    for (const auto& [name, extent] : extents) {
      program.labels.push_back({std::string(1, name), extent});
      shape.ranges.push_back({0, extent});
    }
    expr::ScalarBuilder builder;
    const int32_t x = builder.access(access_of(a), dtype);
    const int32_t y = builder.access(access_of(b), dtype);
    expr::TileStatement statement;
    for (const char name : out) {
      statement.out.push_back(label(name));
    }
    statement.bodies = {builder.finish(builder.call("multiply", {x, y}, dtype))};
    statement.what =
        expr::Reduce{expr::all_aggregates().find("sum")->bind(dtype).monoid, {label('k')}};
    program.statements.push_back(statement);
  }

  std::string refusal(const char* kernel, const Context& context = known().context) const {
    return all_kernels().find(kernel)->read(program, shape, context).reason();
  }

  expr::TileProgram program;
  CallShape shape;

 private:
  expr::LabelNumber label(char name) const {
    return expr::find_label(program, std::string(1, name));
  }
  expr::Access access_of(const std::string& labels) {
    expr::Access access{program.num_inputs++, {}};
    for (const char name : labels) {
      access.index.push_back(expr::plain(label(name)));
    }
    return access;
  }
};

}  // namespace tessera::kernels
