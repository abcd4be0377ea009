#include "engine/frames/left_results.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace tessera::engine {

void LeftResults::bind(Frame& frame) const {
  for (const std::string& name : frame.reads) {
    const auto left = sources_.find(name);
    TESSERA_USER_CHECK(left != sources_.end(), "a frame reads {}, which none before it left", name);
    frame.sources[name] = left->second;
    frame.bindings.inputs[name] = left->second->type();
  }
}

Sinks LeftResults::open(const Frame& frame, const Plan& plan) {
  Sinks sinks;
  written_.clear();
  for (const std::string& name : frame.leaves) {
    const auto sink = std::find_if(plan.tasks.sinks.begin(), plan.tasks.sinks.end(),
                                   [&](const plan::SinkInfo& info) { return info.name == name; });
    TESSERA_USER_CHECK(sink != plan.tasks.sinks.end(),
                       "a frame is to leave {}, which is none of its results", name);
    written_[name] = std::make_unique<io::UnnamedArray>(directory_, sink->type);
    sinks[name] = written_[name].get();
  }
  return sinks;
}

void LeftResults::commit() {
  for (auto& [name, array] : written_) {
    array->commit(store::Durability::process);
    sources_[name] = array.get();
    left_[name] = std::move(array);
  }
  written_.clear();
}

}  // namespace tessera::engine
