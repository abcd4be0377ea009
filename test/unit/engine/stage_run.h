#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/session.h"
#include "plan/interface.h"
#include "store/memory_tensor.h"

namespace tessera::engine {

/// A tensor of f64 in memory.
inline std::unique_ptr<store::MemoryTensor> tensor(Shape shape, const std::vector<double>& values) {
  auto result = std::make_unique<store::MemoryTensor>(ArrayType{DType::f64, std::move(shape)});
  std::copy(values.begin(), values.end(), result->view().as<double>());
  return result;
}

inline std::vector<double> values_of(const store::MemoryTensor& tensor) {
  const double* data = tensor.view().as<double>();
  return {data, data + num_elements(tensor.type().shape)};
}

/// Plans and runs a source on tensors in memory; gives its results by name.
inline std::map<std::string, std::unique_ptr<store::MemoryTensor>> run_source(
    const Session& session, const Source& source,
    const std::map<std::string, const store::MemoryTensor*>& inputs) {
  frontend::Bindings bindings;
  std::map<std::string, const store::TileSource*> sources;
  for (const auto& [name, input] : inputs) {
    bindings.inputs[name] = input->type();
    sources[name] = input;
  }
  const Stages stages = session.plan(source, bindings);
  std::map<std::string, std::unique_ptr<store::MemoryTensor>> results;
  std::map<std::string, store::TileSink*> sinks;
  for (const plan::SinkInfo& sink : stages.plan().tasks.sinks) {
    results[sink.name] = std::make_unique<store::MemoryTensor>(sink.type);
    sinks[sink.name] = results[sink.name].get();
  }
  session.run(stages.plan(), sources, sinks);
  return results;
}

}  // namespace tessera::engine
