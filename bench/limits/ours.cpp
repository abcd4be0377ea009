#include "ours.h"

#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "engine/explain/profile.h"

namespace tessera::bench {

namespace {

/// Where a result goes that nobody looks at.
class Nowhere : public store::TileSink {
 public:
  void write(const TileView&) override {}
  void commit(store::Durability) override {}
  bool is_memory() const override { return true; }
};

/// One round, run some times; keeps what they took.
class TimedRounds : public engine::Rounds {
 public:
  TimedRounds(engine::Round round, store::TileSink& sink) : round_(std::move(round)), sink_(sink) {}

  std::optional<engine::Round> next(const engine::Sources&) override {
    return std::exchange(round_, std::nullopt);
  }
  void planned(const engine::Stages&) override {}
  engine::Outlets outlets(const engine::Plan&) override { return {{{"R", &sink_}}, {}}; }
  void ran(const engine::Plan& plan, std::vector<runtime::RunReport> reports) override {
    TESSERA_CHECK(ours.seconds.empty(), "a row of the bench runs in several frames");
    for (size_t run = 1; run < reports.size(); ++run) {
      ours.seconds.push_back(reports[run].seconds);
    }
    for (const plan::TaskInfo& task : plan.tasks.tasks) {
      const bool is_of_files =
          task.kind == plan::TaskKind::read_source || task.kind == plan::TaskKind::write_sink;
      ours.predicted += is_of_files ? 0 : task.seconds;
    }
  }
  void done(const engine::Stages&) override {}

  Ours ours;

 private:
  std::optional<engine::Round> round_;
  store::TileSink& sink_;
};

engine::Settings settings_of(const Row& row, const Options& options, bool reproducible) {
  engine::Settings settings;
  settings.precision = row.precision;
  settings.workers = options.workers;
  settings.reproducible = reproducible;
  settings.isa = options.isa;
  settings.generating = options.generating;
  return settings;
}

engine::Program text_of(const Row& row) {
  return {{row.name, row.program + "\noutput R\n"}};
}

}  // namespace

Program::Program(const Row& row, const std::vector<Array>& inputs, const Options& options,
                 bool reproducible)
    : session_(settings_of(row, options, reproducible), options.machine), text_(text_of(row)) {
  for (size_t number = 0; number < inputs.size(); ++number) {
    bindings_.inputs[row.inputs[number].name] = inputs[number].type();
    names_.push_back(row.inputs[number].name);
    sources_.emplace_back(inputs[number].view());
  }
}

ArrayType Program::result_type() const {
  return session_.plan(text_, bindings_).results().front().type;
}

Ours Program::run(int times, const Array* result) const {
  Nowhere nowhere;
  std::optional<store::MemoryTensor> kept;
  if (result != nullptr) {
    kept.emplace(result->view());
  }
  store::TileSink& sink = kept ? static_cast<store::TileSink&>(*kept) : nowhere;
  engine::Round round{text_, bindings_, {}, {}, {}, times + 1};
  for (size_t number = 0; number < names_.size(); ++number) {
    round.sources[names_[number]] = &sources_[number];
  }
  TimedRounds rounds(std::move(round), sink);
  session_.execute(rounds);
  rounds.ours.predicted /= static_cast<double>(session_.budget().workers);
  return std::move(rounds.ours);
}

}  // namespace tessera::bench
