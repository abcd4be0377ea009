#include "plan/verify_tensors.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/overload.h"
#include "base/problems.h"
#include "expr/verify.h"
#include "plan/verify_tile.h"

namespace tessera::plan {

namespace {

/// More elements than any tensor has; the sum of two does not overflow.
constexpr int64_t kMostElements = int64_t{1} << 61;

/// Returns the end of a box in every mode. REQUIRES a box that verify_tile() takes.
Shape end_of(const Box& box) {
  Shape end = box.origin;
  for (size_t mode = 0; mode < end.size(); ++mode) {
    end[mode] += box.extent[mode];
  }
  return end;
}

}  // namespace

Problems TensorVerifier::declare() {
  Problems problems;
  for (const SourceInfo& source : graph_.sources) {
    append_problems(problems, "source " + source.name, expr::verify(source.type));
    if (!sources_.emplace(source.name, &source).second) {
      problems.push_back(fmt::format("source {} stands twice", source.name));
    }
  }
  for (const SinkInfo& sink : graph_.sinks) {
    append_problems(problems, "sink " + sink.name, expr::verify(sink.type));
    if (!sinks_.emplace(sink.name, &sink).second) {
      problems.push_back(fmt::format("sink {} stands twice", sink.name));
    }
  }
  return problems;
}

Problems TensorVerifier::verify_read(const std::string& source, const TileType& tile) {
  return std::visit(
      Overload{[&](const DenseTile& array) { return verify_array_read(source, array); },
               [&](const RowTile& rows) { return verify_rows_read(source, rows); }},
      tile);
}

Problems TensorVerifier::verify_array_read(const std::string& name, const DenseTile& tile) const {
  const auto source = sources_.find(name);
  if (source == sources_.end()) {
    return {fmt::format("there is no source {}: a line says its type, as source {} : {}", name,
                        name, to_string(ArrayType{tile.dtype, end_of(tile.box)}))};
  }
  const ArrayType& type = source->second->type;
  return tile.dtype == type.dtype && is_inside(tile.box, whole(type.shape))
             ? Problems{}
             : Problems{fmt::format("its tile {} does not fit source {} : {}",
                                    to_string(TileType(tile)), name, to_string(type))};
}

Problems TensorVerifier::verify_rows_read(const std::string& name, const RowTile& tile) {
  if (const auto source = sources_.find(name); source != sources_.end()) {
    return {fmt::format("source {} is {}, but here it gives rows", name,
                        to_string(source->second->type))};
  }
  const auto [known, fresh] = rows_.try_emplace(name, &tile);
  return fresh || known->second->columns == tile.columns
             ? Problems{}
             : Problems{fmt::format("source {} is {} here but {} before", name,
                                    to_string(TileType(tile)),
                                    to_string(TileType(*known->second)))};
}

/// Counts written elements; leading modes that the tile lacks have extent 1.
Problems TensorVerifier::verify_write(const TaskInfo& task) {
  const auto sink = sinks_.find(*task.name);
  if (sink == sinks_.end()) {
    return {"there is no sink " + *task.name};
  }
  const Argument& part = task.inputs[0];
  const std::vector<int64_t>& origin = graph_.origin_of(part);
  const Shape& extent = graph_.box_of(part).extent;
  Box box{origin, Shape(origin.size() - extent.size(), 1)};
  box.extent.insert(box.extent.end(), extent.begin(), extent.end());
  const ArrayType& type = sink->second->type;
  if (graph_.dense(part.tile).dtype != type.dtype || !is_inside(box, whole(type.shape))) {
    return {fmt::format("its box does not fit sink {} : {}", *task.name, to_string(type))};
  }
  if (num_elements(box.extent) > 0 && !corners_.insert({*task.name, box.origin}).second) {
    return {"it writes a box of " + *task.name + " again"};
  }
  int64_t& sunk = sunk_[*task.name];
  sunk = std::min(sunk + num_elements(box.extent), kMostElements);
  return {};
}

Problems TensorVerifier::verify_counts() {
  Problems problems;
  for (const SinkInfo& sink : graph_.sinks) {
    const int64_t missing = num_elements(sink.type.shape) - sunk_[sink.name];
    if (missing != 0) {
      problems.push_back(fmt::format("sink {}: {} of its elements are {}", sink.name,
                                     std::abs(missing),
                                     missing > 0 ? "not written" : "written twice"));
    }
  }
  return problems;
}

}  // namespace tessera::plan
