#include "engine/execution/left_results.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace tessera::engine {

const store::TileSource* LeftResults::at(const std::string& name) const {
  const auto left = sources_.find(name);
  TESSERA_USER_CHECK(left != sources_.end(), "a round reads {}, which none before it left", name);
  return left->second;
}

Sinks LeftResults::open(const std::vector<std::string>& leaves,
                        const std::vector<plan::SinkInfo>& results) {
  Sinks sinks;
  for (const std::string& name : leaves) {
    const auto result = std::find_if(results.begin(), results.end(),
                                     [&](const plan::SinkInfo& info) { return info.name == name; });
    TESSERA_USER_CHECK(result != results.end(),
                       "a round is to leave {}, which is none of its results", name);
    written_[name] = std::make_unique<io::UnnamedArray>(directory_, result->type);
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

void LeftResults::keep_only(const std::set<std::string>& names) {
  std::erase_if(sources_, [&](const auto& left) { return !names.contains(left.first); });
  std::erase_if(left_, [&](const auto& left) { return !names.contains(left.first); });
}

}  // namespace tessera::engine
