#include "plan/results.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace tessera::plan {

namespace {

std::vector<size_t> dims_without_mode(const tra::RelationType& type) {
  std::vector<size_t> dims;
  for (size_t dim = 0; dim < type.key.size(); ++dim) {
    const auto& modes = type.columns[0].modes;
    const bool counts_a_mode = tra::grid_of(type.key[dim]) != nullptr &&
                               std::any_of(modes.begin(), modes.end(), [&](const tra::Mode& mode) {
                                 return mode.label == tra::label_of(type.key[dim]);
                               });
    if (!counts_a_mode) {
      dims.push_back(dim);
    }
  }
  return dims;
}

void check_one_column(const std::string& name, const tra::RelationType& type) {
  for (const tra::KeyDim& dim : type.key) {
    TESSERA_USER_CHECK(tra::windows_of(dim) == nullptr,
                       "result {}: dimension {} counts windows, which have elements in common",
                       name, tra::label_of(dim));
  }
  TESSERA_USER_CHECK(type.columns.size() == 1,
                     "result {}: its tuples have {} arrays, a file holds one", name,
                     type.columns.size());
}

/// Returns the type of the whole result as one tensor.
ArrayType sink_type(const tra::RelationType& type, const std::vector<size_t>& leading) {
  ArrayType tensor{type.columns[0].dtype, {}};
  for (const size_t dim : leading) {
    tensor.shape.push_back(tra::num_keys(type.key[dim]));
  }
  for (const tra::Mode& mode : type.columns[0].modes) {
    tensor.shape.push_back(mode.extent);
  }
  return tensor;
}

}  // namespace

void add_result(TaskBuilder& tasks, const std::string& name, const tra::RelationType& type,
                const Lineage& lineage) {
  check_one_column(name, type);
  const std::vector<size_t> leading = dims_without_mode(type);
  const Shared<std::string> shared_name = name;
  ArrayType tensor = sink_type(type, leading);
  for (const Key& key : tra::all_keys(type.key)) {
    const auto tuple = lineage.tuples.find(key);
    TESSERA_USER_CHECK(
        tuple != lineage.tuples.end(),
        "result {}: there is no tuple with key {}: a filter or an input leaves it out", name,
        tra::to_string(key, type.key));
    const View& view = tuple->second.front();
    Part part{tasks.graph().box_of(view), {}};
    for (const size_t dim : leading) {
      part.origin.push_back(key[dim]);
    }
    const std::vector<int64_t>& origin = tasks.graph().origin_of(view);
    part.origin.insert(part.origin.end(), origin.begin(), origin.end());
    tasks.add_write(shared_name, tensor.shape,
                    tasks.graph().part_of_tile(view.tile, std::move(part)));
  }
  tasks.add_sink({name, std::move(tensor)});
}

std::vector<SinkInfo> results_of(const ia::Graph& graph) {
  std::vector<SinkInfo> results;
  for (const ia::Output& output : graph.outputs) {
    const tra::RelationType& type = graph.at(output.node).type;
    check_one_column(output.name, type);
    results.push_back({output.name, sink_type(type, dims_without_mode(type))});
  }
  return results;
}

}  // namespace tessera::plan
