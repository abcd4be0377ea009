#include "plan/hash.h"

#include <functional>
#include <string>

#include "expr/hash.h"

namespace tessera::plan {

namespace {

/// A hash of a sequence of numbers and texts.
class Hash {
 public:
  void add(int64_t number) {
    // The finalizer of MurmurHash3 (Appleby, public domain): every bit changes half of the others.
    uint64_t bits = value_ ^ static_cast<uint64_t>(number);
    bits = (bits ^ (bits >> 33)) * 0xff51afd7ed558ccdULL;
    bits = (bits ^ (bits >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    value_ = (bits ^ (bits >> 33)) + 0x9e3779b97f4a7c15ULL;
  }

  void add(const std::string& text) { add(static_cast<int64_t>(std::hash<std::string>{}(text))); }

  template <class List>
  void add_list(const List& list) {
    add(static_cast<int64_t>(list.size()));
    for (const auto& item : list) {
      add(item);
    }
  }

  void add(const Box& box) {
    add_list(box.origin);
    add_list(box.extent);
  }

  void add(const ArrayType& type) {
    add(static_cast<int64_t>(type.dtype));
    add_list(type.shape);
  }

  void add(const TileInfo& tile) {
    add(tile.space.value);
    if (const DenseTile* const array = dense_tile(tile.type)) {
      add(static_cast<int64_t>(array->dtype));
      add(array->box);
    } else {
      add(to_string(tile.type));
    }
  }

  void add(const Argument& argument) {
    add(argument.tile.value);
    if (argument.part != nullptr) {
      add(argument.part->box);
      add_list(argument.part->origin);
    }
  }

  void add(const kernels::LabelRange& range) {
    add(range.begin);
    add(range.length);
  }

  void add(const TaskInfo& task) {
    add(static_cast<int64_t>(task.kind));
    add(task.site.value);
    add(task.program.value);
    add(*task.name);
    add(*task.kernel);
    add_list(task.shape.ranges);
    add(task.shape.accumulate ? 1 : 0);
    add_list(task.inputs);
    add_list(task.outputs);
    add(task.workspace_bytes);
  }

  void add(const ProgramInfo& program) {
    add(static_cast<int64_t>(expr::hash_of(program.program)));
  }

  void add(const SourceInfo& source) {
    add(source.name);
    add(source.type);
  }

  void add(const SinkInfo& sink) {
    add(sink.name);
    add(sink.type);
  }

  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0;
};

}  // namespace

uint64_t hash_of(const TaskGraph& graph) {
  Hash hash;
  hash.add_list(graph.tiles);
  hash.add_list(graph.tasks);
  hash.add_list(graph.programs);
  hash.add_list(graph.sources);
  hash.add_list(graph.sinks);
  return hash.value();
}

}  // namespace tessera::plan
