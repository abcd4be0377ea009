#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "runtime/executor.h"
#include "store/memory_tensor.h"

namespace tessera::runtime {

/// A source that lends all that is asked for, or nothing, and counts what is read.
class CountedSource : public store::TileSource {
 public:
  CountedSource(const store::TileSource& source, bool lends)
      : tensor_(source.type()), lends_(lends) {
    source.read(tensor_.view());
  }
  ArrayType type() const override { return tensor_.type(); }
  void read(const TileView& into) const override {
    ++reads;
    tensor_.read(into);
  }
  std::optional<TileView> lend(const Box& part) const override {
    return lends_ ? tensor_.lend(part) : std::nullopt;
  }
  int64_t bytes_to_read(const Box& part) const override {
    return times_its_bytes * tensor_.bytes_to_read(part);
  }
  mutable std::atomic<int> reads = 0;
  int64_t times_its_bytes = 1;  // that a read brings in

 private:
  store::MemoryTensor tensor_;
  bool lends_;
};

/// Has a run read from sources that lend nothing, so that its tiles take the memory that the plan
/// says. Returns those sources, which the run borrows.
inline std::vector<std::unique_ptr<CountedSource>> lend_nothing(RunContext& context) {
  std::vector<std::unique_ptr<CountedSource>> sources;
  for (auto& [name, source] : context.sources) {
    sources.push_back(std::make_unique<CountedSource>(*source, false));
    source = sources.back().get();
  }
  return sources;
}

}  // namespace tessera::runtime
