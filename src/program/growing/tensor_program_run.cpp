#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/temporary_file.h"
#include "io/unnamed_array.h"
#include "program/growing/tensor_program.h"
#include "program/processes/common_array.h"
#include "program/runs/one_program.h"
#include "program/runs/reshaped_rows.h"
#include "program/runs/row_sinks.h"
#include "store/memory_tensor.h"

namespace tessera::program {

namespace {

/// Frames are chosen of as many statements as so many frames have.
constexpr size_t kFramesToChooseFrom = 2;
/// The memory that a file without a name takes at least: a page of its contents.
constexpr int64_t kLeastBytesOfFile = 4096;

/// Names of the statements that a plan makes as tensors, and of its inputs.
std::set<std::string> tensors_in(const einsum::Graph& optimized) {
  std::set<std::string> names;
  for (const einsum::Vertex& vertex : optimized.vertices) {
    names.insert(vertex.name);
  }
  return names;
}

}  // namespace

bool TensorProgram::is_full() const {
  return framing_.cutter != frames::Cutter::none && !notes_runs_ &&
         order_.size() >= kFramesToChooseFrom * framing_.size.max;
}

frames::OperatorGraph TensorProgram::graph_of(const std::vector<std::string>& statements) const {
  std::unordered_map<std::string, size_t> number_of;
  std::vector<frames::Operator> operators;
  for (const std::string& name : statements) {
    const Statement& statement = statements_.at(name);
    frames::Operator one{statement.kind, {}};
    for (const std::string& read : statement.reads) {
      const auto found = number_of.find(read);
      if (found != number_of.end()) {
        one.reads.push_back(found->second);
      }
    }
    number_of[name] = operators.size();
    operators.push_back(std::move(one));
  }
  return frames::OperatorGraph(std::move(operators));
}

TensorProgram::Schedule TensorProgram::schedule_for(const std::vector<std::string>& results) const {
  const std::vector<std::string> statements = needed_by(results);
  const frames::OperatorGraph graph = graph_of(statements);
  const frames::Beliefs beliefs(graph, framing_.history);
  const std::vector<frames::Frame> cut =
      frames::cut_in_frames(graph, beliefs, framing_.cutter, framing_.size);
  Schedule schedule;
  std::unordered_set<std::string> left;
  for (const frames::CutEdge& edge : frames::cut_edges(graph, beliefs, cut)) {
    left.insert(statements[edge.producer]);
    schedule.cut.push_back({statements[edge.producer], statements[edge.reader], edge.belief});
  }
  std::set<std::string> wanted(results.begin(), results.end());
  for (const frames::Frame& members : cut) {
    Frame frame;
    for (const size_t member : members) {
      const std::string& name = statements[member];
      frame.statements.push_back(name);
      if (left.count(name) != 0) {
        frame.leaves.push_back(name);
      } else if (wanted.erase(name) != 0) {
        frame.results.push_back(name);
      }
    }
    schedule.frames.push_back(std::move(frame));
  }
  if (schedule.frames.empty()) {
    schedule.frames.emplace_back();
  }
  // What is there already, and what is read on the way too.
  Frame& last = schedule.frames.back();
  last.results.insert(last.results.end(), wanted.begin(), wanted.end());
  return schedule;
}

std::shared_ptr<const store::TileSource> TensorProgram::rows_of(
    const std::string& name, std::shared_ptr<const store::TileSource> file) const {
  const Statement& statement = statements_.at(name);
  if (statement.grid.size() == 1) {
    return file;
  }
  return std::make_shared<ReshapedRows>(std::move(file), statement.type, statement.grid.size());
}

void TensorProgram::run(const std::map<std::string, store::TileSink*>& results,
                        const engine::RunControl& control) {
  std::vector<std::string> names;
  for (const auto& [name, sink] : results) {
    names.push_back(name);
  }
  const Schedule schedule = schedule_for(names);
  std::unordered_map<std::string, size_t> last_reader;  // frames
  for (size_t number = 0; number < schedule.frames.size(); ++number) {
    const Frame& frame = schedule.frames[number];
    for (const std::string& name : frame.statements) {
      for (const std::string& read : statements_.at(name).reads) {
        last_reader[read] = number;
      }
    }
    for (const std::string& name : frame.results) {
      last_reader[name] = number;
    }
  }
  Between between;
  for (size_t number = 0; number < schedule.frames.size(); ++number) {
    run_frame(schedule.frames[number], results, between, control);
    std::erase_if(between,
                  [&](const auto& entry) { return last_reader.at(entry.first) <= number; });
  }
}

KeptFile TensorProgram::new_file(const ArrayType& type) const {
  if (others_) {
    const auto file = std::make_shared<CommonArray>(type, session_);
    return {file, file};
  }
  const std::string directory = session_.settings().spill_directory.value_or(temporary_directory());
  const auto file = std::make_shared<io::UnnamedArray>(directory, type);
  return {file, file};
}

KeptFile TensorProgram::place_for_tensor(const ArrayType& type) const {
  if (others_ || size_in_bytes(type) > kLeastBytesOfFile) {
    return new_file(type);
  }
  const auto tensor = std::make_shared<store::MemoryTensor>(type);
  return {tensor, tensor};
}

void TensorProgram::run_frame(const Frame& frame,
                              const std::map<std::string, store::TileSink*>& results,
                              Between& between, const engine::RunControl& control) {
  std::map<std::string, store::TileSink*> sinks;
  for (const std::string& name : frame.results) {
    sinks[name] = results.at(name);
  }
  std::map<std::string, KeptFile> files;
  for (const std::string& name : frame.leaves) {
    files[name] = place_for_tensor(statements_.at(name).flat_type());
    sinks[name] = files[name].sink.get();
  }
  run_planned(frame, sinks, between, control);
  for (auto& [name, file] : files) {
    file.sink->commit(store::Durability::process);
    between[name] = rows_of(name, file.source);
  }
}

RowSink TensorProgram::row_sink_of(const std::string& name, store::TileSink* sink) const {
  const auto statement = statements_.find(name);
  if (statement != statements_.end()) {
    return {sink, statement->second.flat_type(), statement->second.grid};
  }
  const ArrayType type = inputs_.at(name)->type();
  return {sink, type, {type.shape.front()}};
}

void TensorProgram::run_planned(const Frame& frame,
                                const std::map<std::string, store::TileSink*>& sinks,
                                const Between& between, const engine::RunControl& control) {
  const FrameProgram program =
      others_ || notes_runs_ ? named_program_for(frame) : program_for(frame);
  if (notes_runs_) {
    runs_.push_back(text_of(frame));
  }
  std::map<std::string, RowSink> rows;
  for (const size_t output : program.shape.outputs) {
    const std::string& tensor = program.tensors[output];
    rows[program.names[output]] = row_sink_of(tensor, sinks.at(tensor));
  }
  Between inputs;
  for (size_t input = 0; input < program.shape.inputs.size(); ++input) {
    const auto left = between.find(program.tensors[input]);
    inputs[program.names[input]] =
        left != between.end() ? left->second : inputs_.at(program.tensors[input]);
  }
  const auto run_here = [&](const engine::Sinks& to) {
    run_program(program, inputs, {to, control});
  };
  with_places(program, [&] {
    if (!others_) {
      run_here(FlattenedSinks(rows).sinks());
      return;
    }
    Between known = inputs_.all();
    known.insert(between.begin(), between.end());
    others_->run_by_all(bound_program(program), inputs, known, rows, run_here);
  });
}

engine::Sources TensorProgram::sources_in(const Between& inputs) {
  engine::Sources sources;
  for (const auto& [name, source] : inputs) {
    sources[name] = source.get();
  }
  return sources;
}

void TensorProgram::run_program(const FrameProgram& program, const Between& inputs,
                                const engine::Outlets& outlets) {
  const bool is_by_place = program.names != program.tensors;  // names that say no tensor
  const KnownPlan* const known = is_by_place ? learned_.plans.find(program.shape) : nullptr;
  if (known != nullptr) {
    learn(program, known->made);
    OneProgram rounds({{}, {}, sources_in(inputs), {}, {}}, outlets, follower_);
    rounds.run_by(*known->plan, session_);
    estimated_seconds_ += rounds.estimated_seconds();
    return;
  }
  std::set<std::string> made;
  engine::Round round{bound_program(program), {}, sources_in(inputs), {}, {}};
  for (const auto& [name, source] : inputs) {
    round.bindings.inputs[name] = source->type();
  }
  OneProgram rounds(std::move(round), outlets, follower_, [&](const engine::Stages& stages) {
    if (const engine::Choices* const choices = stages.choices()) {
      made = tensors_in(choices->optimized);
      learn(program, made);
    }
  });
  session_.execute(rounds);
  if (is_by_place && rounds.plan_to_keep() != nullptr) {
    learned_.plans.keep(program.shape, {rounds.plan_to_keep(), std::move(made)});
  }
  estimated_seconds_ += rounds.estimated_seconds();
}

void TensorProgram::learn(const FrameProgram& program, const std::set<std::string>& made) {
  const size_t num_inputs = program.shape.inputs.size();
  for (const FrameShape::Member& member : program.shape.members) {
    const auto place = static_cast<size_t>(&member - program.shape.members.data());
    const Statement& reader = statements_.at(program.tensors[num_inputs + place]);
    for (const size_t read : member.reads) {
      const std::string& producer = program.tensors[read];
      if (read >= num_inputs && num_readers_.at(producer) == 1) {
        learned_.pipelining.note({statements_.at(producer).kind, reader.kind},
                                 made.count(program.names[read]) == 0);
      }
    }
  }
}

void TensorProgram::keep(const std::vector<std::string>& names, const engine::RunControl& control) {
  std::map<std::string, KeptFile> files;
  std::map<std::string, store::TileSink*> sinks;
  for (const std::string& name : names) {
    if (statements_.count(name) != 0 && files.count(name) == 0) {
      files[name] = place_for_tensor(statements_.at(name).flat_type());
      sinks[name] = files[name].sink.get();
    }
  }
  if (sinks.empty()) {
    return;
  }
  run(sinks, control);
  for (auto& [name, file] : files) {
    file.sink->commit(store::Durability::process);
    inputs_.add_computed(name, rows_of(name, file.source));
    statements_.erase(name);
  }
  // A result is a statement: what says the same as one that was kept is one of its own.
  std::erase_if(known_, [&](const auto& entry) { return files.count(entry.second) != 0; });
  std::erase_if(order_, [&](const std::string& name) { return files.count(name) != 0; });
}

}  // namespace tessera::program
