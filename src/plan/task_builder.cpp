#include "plan/task_builder.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "expr/hash.h"
#include "expr/table_gather.h"
#include "kernels/choice.h"
#include "kernels/cpu/cost/gathered_reads.h"

namespace tessera::plan {

namespace {

/// Rounds an estimate to its three significant digits; the text of a plan is then short and exact.
double rounded(double estimate) {
  return std::stod(fmt::format("{:.3g}", estimate));
}

}  // namespace

TaskBuilder::TaskBuilder(const kernels::Context& context, int64_t num_sites) : context_(context) {
  tasks_.spaces.resize(static_cast<size_t>(num_sites));
  tasks_.sites.clear();
  for (int64_t site = 0; site < num_sites; ++site) {
    tasks_.sites.push_back({SpaceId(site)});
  }
}

std::vector<View> TaskBuilder::new_tuple(const tra::RelationType& type, const Key& key) {
  std::vector<View> columns;
  for (size_t column = 0; column < type.columns.size(); ++column) {
    TileInfo tile;
    tile.relation = relation_;
    tile.key = key;
    tile.column = static_cast<int64_t>(column);
    tile.space = tasks_.sites[site_.index()].space;
    tile.type = DenseTile{type.columns[column].dtype, box_of(type.columns[column], type.key, key)};
    const TileId id(static_cast<int64_t>(tasks_.tiles.size()));
    columns.push_back({id, nullptr});
    tasks_.tiles.push_back(std::move(tile));
  }
  return columns;
}

View TaskBuilder::new_tile_like(TileId other) {
  TileInfo tile = tasks_.at(other);
  tile.space = tasks_.sites[site_.index()].space;
  const TileId id(static_cast<int64_t>(tasks_.tiles.size()));
  tasks_.tiles.push_back(std::move(tile));
  return {id, nullptr};
}

ProgramId TaskBuilder::intern(const Shared<expr::TileProgram>& program) {
  const size_t hash = expr::hash_of(program);
  const auto [first, last] = program_of_hash_.equal_range(hash);
  for (auto place = first; place != last; ++place) {
    if (tasks_.programs[place->second.index()].program == program) {
      return place->second;
    }
  }
  const ProgramId id(static_cast<int64_t>(tasks_.programs.size()));
  tasks_.programs.push_back({program});
  program_of_hash_.emplace(hash, id);
  return id;
}

std::vector<int64_t> TaskBuilder::sizes_that_count(const expr::TileProgram& program,
                                                   const std::vector<View>& inputs) const {
  std::vector<int64_t> sizes;
  if (kernels::gathers_inputs(program)) {
    for (const View& input : inputs) {
      sizes.push_back(size_in_bytes({tasks_.dense(input.tile).dtype, tasks_.box_of(input).extent}));
    }
  }
  return sizes;
}

const TaskBuilder::Chosen& TaskBuilder::choose(ProgramId program, const kernels::CallShape& shape,
                                               const std::vector<View>& inputs) {
  const expr::TileProgram& text = tasks_.programs[program.index()].program;
  const std::vector<int64_t> input_bytes = sizes_that_count(text, inputs);
  std::vector<int64_t> size = {program.value, shape.accumulate ? 1 : 0};
  for (const kernels::LabelRange& range : shape.ranges) {
    size.push_back(range.length);
  }
  size.insert(size.end(), input_bytes.begin(), input_bytes.end());
  const auto known = choices_.find(size);
  if (known != choices_.end()) {
    return known->second;
  }
  kernels::Choice choice = kernels::choose(text, shape, context_);
  if (!input_bytes.empty()) {
    choice.plan.cost.seconds +=
        kernels::waiting_seconds(text, shape, input_bytes, context_.machine);
  }
  return choices_
      .emplace(std::move(size),
               Chosen{choice.kernel->name, choice.plan.cost, choice.plan.workspace_bytes})
      .first->second;
}

void TaskBuilder::add_compute(ProgramId program, std::vector<kernels::LabelRange> ranges,
                              bool accumulate, std::vector<View> inputs,
                              std::vector<View> outputs) {
  TaskInfo task;
  task.kind = TaskKind::compute;
  task.site = site_;
  task.program = program;
  task.shape = {std::move(ranges), accumulate};
  const Chosen& choice = choose(program, task.shape, inputs);
  task.kernel = choice.kernel;
  task.workspace_bytes = choice.workspace_bytes;
  task.flops = choice.cost.flops;
  task.bytes = choice.cost.bytes;
  task.seconds = rounded(choice.cost.seconds);
  task.inputs = std::move(inputs);
  task.outputs = std::move(outputs);
  task.origin = origin_;
  tasks_.tasks.push_back(std::move(task));
}

void TaskBuilder::add_source(SourceInfo source) {
  const bool is_there =
      std::any_of(tasks_.sources.begin(), tasks_.sources.end(),
                  [&](const SourceInfo& other) { return other.name == source.name; });
  if (!is_there) {
    tasks_.sources.push_back(std::move(source));
  }
}

void TaskBuilder::add_read(const Shared<std::string>& source, const Shape& shape,
                           StorageOrder order, const View& tile) {
  TaskInfo task = transfer_of(TaskKind::read_source, tile);
  task.outputs = {tile};
  add_file_task(std::move(task), source, {shape, 0, order}, tile);
}

void TaskBuilder::add_gather(const tra::SourceTensor& source, ProgramId program,
                             std::vector<kernels::LabelRange> ranges, std::vector<View> tables,
                             View gathered) {
  TaskInfo task = transfer_of(TaskKind::gather_source, gathered);
  const expr::TableGather gather =
      *expr::table_gather_of(*tasks_.programs[program.index()].program);
  std::vector<int64_t> lengths;
  std::transform(ranges.begin(), ranges.end(), std::back_inserter(lengths),
                 [](const kernels::LabelRange& range) { return range.length; });
  const FileEstimate estimate =
      gather_estimate({source.type.shape, size_of(source.type.dtype)}, gather.modes.back().mode,
                      expr::extent_in_copied(gather, lengths), context_.machine.files);
  task.program = program;
  task.shape.ranges = std::move(ranges);
  task.name = source.name;
  task.runs = static_cast<int64_t>(estimate.runs);
  task.seconds = rounded(estimate.seconds);
  task.inputs = std::move(tables);
  task.outputs = {std::move(gathered)};
  tasks_.tasks.push_back(std::move(task));
}

void TaskBuilder::add_copy(const View& from, const View& to) {
  add_box_task(TaskKind::copy_box, from, to);
}

void TaskBuilder::add_move(const View& from, const View& to) {
  add_box_task(TaskKind::move, from, to);
}

void TaskBuilder::add_box_task(TaskKind kind, const View& from, const View& to) {
  TaskInfo task = transfer_of(kind, from);
  task.seconds = rounded(context_.machine.links.copy.seconds(task.bytes));
  task.inputs = {from};
  task.outputs = {to};
  tasks_.tasks.push_back(std::move(task));
}

void TaskBuilder::add_write(const Shared<std::string>& sink, const Shape& shape, const View& from) {
  TaskInfo task = transfer_of(TaskKind::write_sink, from);
  task.site = SiteId(tasks_.at(from.tile).space.value);
  task.inputs = {from};
  add_file_task(std::move(task), sink, {shape, 0, StorageOrder::row_major}, from);
}

TaskInfo TaskBuilder::transfer_of(TaskKind kind, const View& moved) const {
  TaskInfo task;
  task.kind = kind;
  task.site = site_;
  task.bytes = static_cast<double>(
      size_in_bytes({tasks_.dense(moved.tile).dtype, tasks_.box_of(moved).extent}));
  task.origin = origin_;
  return task;
}

void TaskBuilder::add_file_task(TaskInfo task, const Shared<std::string>& name, FileArray file,
                                const View& moved) {
  // Bare key dimensions of a result come first; a tile has one position in each.
  Shape extent = tasks_.box_of(moved).extent;
  extent.insert(extent.begin(), file.shape.size() - extent.size(), 1);
  file.element_bytes = size_of(tasks_.dense(moved.tile).dtype);
  const FileDirection direction =
      task.kind == TaskKind::read_source ? FileDirection::read : FileDirection::write;
  const FileEstimate estimate = file_estimate(file, extent, direction, context_.machine.files);
  task.name = name;
  task.runs = static_cast<int64_t>(estimate.runs);
  task.seconds = rounded(estimate.seconds);
  tasks_.tasks.push_back(std::move(task));
}

}  // namespace tessera::plan
