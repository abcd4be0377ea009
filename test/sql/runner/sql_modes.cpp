#include "sql/runner/sql_modes.h"

#include "plans/runner/settings_line.h"

namespace tessera::sql_cases {

namespace {

using Cutter = sql::frames::Cutter;

constexpr int64_t kLittleMemory = 2 << 20;
constexpr int64_t kManyPieces = 1000;  // more than most tensors of cases have elements

void as_it_is(CaseSettings&) {}

void cut(CaseSettings& settings, Cutter cutter, size_t least, size_t most) {
  settings.framing.cutter = cutter;
  settings.framing.size = {least, most};
}

void without_frames(CaseSettings& settings) {
  cut(settings, Cutter::none, 1, 1);
}

void frames_of_one(CaseSettings& settings) {
  cut(settings, Cutter::gqap, 1, 1);
}

void greedy_frames(CaseSettings& settings) {
  cut(settings, Cutter::greedy, 2, 3);
}

void min_cut_frames(CaseSettings& settings) {
  cut(settings, Cutter::min_cut, 2, 4);
}

void single_rows(CaseSettings& settings) {
  settings.engine.pieces = kManyPieces;
}

void one_worker(CaseSettings& settings) {
  settings.engine.workers = 1;
  settings.engine.pieces = 3;
}

void many_workers(CaseSettings& settings) {
  settings.engine.workers = 4;
  settings.engine.pieces = 7;
}

void little_memory(CaseSettings& settings) {
  settings.engine.memory_bytes = kLittleMemory;
}

void reference_kernels(CaseSettings& settings) {
  settings.engine.kernel = "reference";
}

void many_sites(CaseSettings& settings) {
  plans::set_sites(settings.engine, 4);
  settings.engine.pieces = 4;
}

}  // namespace

const SqlMode& as_written() {
  static const SqlMode mode = {"as-written", "the settings of the case", &as_it_is};
  return mode;
}

const std::vector<SqlMode>& all_sql_modes() {
  static const std::vector<SqlMode> modes = {
      {"frames-off", "tensor parts in one frame", &without_frames},
      {"frames-1", "tensor parts in frames of one statement", &frames_of_one},
      {"greedy", "small frames that the greedy cutter cuts", &greedy_frames},
      {"min-cut", "small frames that the cutter by numbers of edges cuts", &min_cut_frames},
      {"single-rows", "a kernel call for each row, or for each element", &single_rows},
      {"one-worker", "one worker, every statement in 3 pieces", &one_worker},
      {"many-workers", "4 workers, every statement in 7 pieces", &many_workers},
      {"little-memory", "a budget of 2 MiB", &little_memory},
      {"reference-kernels", "the reference kernel alone", &reference_kernels},
      {"sites", "4 sites in this process, every statement in 4 pieces", &many_sites},
      {"reopened", "the database opened anew for every step", &as_it_is, true},
  };
  return modes;
}

}  // namespace tessera::sql_cases
