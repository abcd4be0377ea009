#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ir/tra/graph.h"
#include "plan/order.h"
#include "plan/task_builder.h"
#include "plan/text.h"
#include "runtime/executor.h"
#include "store/memory_tensor.h"
#include "unit/known.h"

namespace tessera::runtime {

/// What programs are planned and run with. The reference kernel only: its workspace is small beside
/// these tiles, so that budgets are about tiles.
struct Registries : Known {
  Registries() : Known({"reference"}) {}
};

/// A plan with data for its sources, and what its sinks hold after a run. Numbers are integers that
/// wrap, so that any two right runs are equal bit by bit, and a sum that is merged twice, early or
/// not at all is seen.
class Planned {
 public:
  plan::TaskGraph graph;

  void add_source(const std::string& name, const ArrayType& type, uint64_t seed) {
    auto source = std::make_unique<store::MemoryTensor>(type);
    std::mt19937_64 random(seed);
    auto* const first = source->view().as<int64_t>();
    std::generate(first, first + num_elements(type.shape), random);
    sources_[name] = std::move(source);
  }

  /// Runs the plan; returns the bytes of its sinks. `adapt` may change the context before.
  template <class Adapt>
  std::vector<int64_t> run(Executor& executor, store::TileStore& store, const Registries& known,
                           RunReport& report, Adapt adapt) const {
    std::map<std::string, const store::TileSource*> sources;
    for (const auto& [name, source] : sources_) {
      sources[name] = source.get();
    }
    std::vector<std::unique_ptr<store::MemoryTensor>> results;
    std::map<std::string, store::TileSink*> sinks;
    for (const plan::SinkInfo& sink : graph.sinks) {
      results.push_back(std::make_unique<store::MemoryTensor>(sink.type));
      sinks[sink.name] = results.back().get();
    }
    RunContext context{{&store}, known.context, std::move(sources), std::move(sinks)};
    adapt(context);
    report = executor.run(graph, context);
    std::vector<int64_t> values;
    for (const auto& result : results) {
      const auto* const first = result->view().as<int64_t>();
      values.insert(values.end(), first, first + num_elements(result->type().shape));
    }
    return values;
  }

  std::vector<int64_t> run(Executor& executor, store::TileStore& store, const Registries& known,
                           RunReport& report) const {
    return run(executor, store, known, report, [](RunContext&) {});
  }

  /// What the serial executor computes with memory enough.
  std::vector<int64_t> expected(const Registries& known) const {
    store::TileStore store(graph.proof().peak.at_most);
    RunReport report;
    return run(*make_serial_executor(), store, known, report);
  }

 private:
  std::map<std::string, std::unique_ptr<store::MemoryTensor>> sources_;
};

/// A drawn graph of tasks over tiles of 16 numbers: reads, sums of two and three tiles, chains of
/// tasks that accumulate into one tile, copies into parts of one tile, results. Tiles are used soon
/// after and long after they are made.
inline Planned drawn_plan(uint64_t seed, int num_tasks, const Registries& known) {
  static constexpr const char* kPrograms =
      "tasks\n"
      "p0 = program {[i=16] (i64,i64) o[i] = x0[i] - 3 * x1[i]}\n"
      "p1 = program {[i=16] (i64,i64,i64) o[i] = x0[i] * x1[i] + x2[i]}\n"
      "p2 = program {[i=16,k=16] (i64,i64) o[i] = sum[k] x0[i] * x1[k]}\n";
  const tra::RelationType type{{}, {{DType::i64, {{"i", 16}}}}};
  const plan::TaskGraph programs =
      plan::parse_graph({"programs", kPrograms}, known.functions, known.aggregates);
  plan::TaskBuilder builder(known.context);
  std::vector<plan::ProgramId> ids;
  for (const plan::ProgramInfo& program : programs.programs) {
    ids.push_back(builder.intern(program.program));
  }
  std::mt19937_64 random(seed);
  const auto below = [&](size_t bound) { return static_cast<size_t>(random() % bound); };
  Planned planned;
  std::vector<plan::View> tiles;
  std::vector<bool> is_used;
  const auto new_tile = [&](const std::string& name) {
    builder.set_origin({name, "drawn.ein", static_cast<int64_t>(tiles.size()) + 1, 1});
    tiles.push_back(builder.new_tuple(type, {})[0]);
    is_used.push_back(false);
    return tiles.back();
  };
  const auto pick = [&] {
    const size_t recent = std::min<size_t>(4, tiles.size());
    const size_t tile = below(3) == 0 ? below(tiles.size()) : tiles.size() - 1 - below(recent);
    is_used[tile] = true;
    return tiles[tile];
  };
  for (int task = 0; task < num_tasks; ++task) {
    const size_t kind = tiles.size() < 2 ? 0 : below(8);
    if (kind == 0) {
      const std::string name = fmt::format("X{}", tiles.size());
      planned.add_source(name, {DType::i64, {16}}, random());
      builder.add_source({name, {DType::i64, {16}}});
      builder.add_read(name, {16}, StorageOrder::row_major, new_tile(name));
    } else if (kind == 1) {
      const plan::View a = pick();
      const plan::View b = pick();
      const plan::View sum = new_tile("S");
      for (size_t part = 0; part < 1 + below(4); ++part) {
        builder.add_compute(ids[2], {{0, 16}, {0, 16}}, part > 0,
                            part % 2 == 0 ? std::vector{a, b} : std::vector{b, a}, {sum});
      }
    } else if (kind == 2) {
      const plan::View low = pick();
      const plan::View high = pick();
      const plan::View pasted = new_tile("P");
      for (const int64_t begin : {int64_t{0}, int64_t{8}}) {
        const plan::Part half{{{begin}, {8}}, {begin}};
        builder.add_copy(builder.graph().part_of_tile((begin == 0 ? low : high).tile, half),
                         builder.graph().part_of_tile(pasted.tile, half));
      }
    } else {
      const size_t program = below(2);
      std::vector<plan::View> inputs = {pick(), pick()};
      if (program == 1) {
        inputs.push_back(pick());
      }
      builder.add_compute(ids[program], {{0, 16}}, false, inputs, {new_tile("T")});
    }
  }
  for (size_t tile = 0; tile < tiles.size(); ++tile) {
    if (!is_used[tile]) {
      const std::string name = fmt::format("Y{}", tile);
      builder.add_sink({name, {DType::i64, {16}}});
      builder.add_write(name, {16}, tiles[tile]);
    }
  }
  planned.graph = plan::ordered(std::move(builder).take());
  return planned;
}

}  // namespace tessera::runtime
