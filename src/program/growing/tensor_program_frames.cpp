#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/ranges.h>

#include "program/growing/label.h"
#include "program/growing/statement_text.h"
#include "program/growing/tensor_program.h"

/// Frames as programs, and as text.
namespace tessera::program {

std::vector<std::string> TensorProgram::needed_by(const std::vector<std::string>& results) const {
  std::unordered_set<std::string> needed;
  std::vector<std::string> open = results;
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    const auto statement = statements_.find(name);
    if (statement != statements_.end() && needed.insert(name).second) {
      const std::vector<std::string>& reads = statement->second.reads;
      open.insert(open.end(), reads.begin(), reads.end());
    }
  }
  std::vector<std::string> in_order;
  std::copy_if(order_.begin(), order_.end(), std::back_inserter(in_order),
               [&](const std::string& name) { return needed.count(name) != 0; });
  return in_order;
}

TensorProgram::FrameProgram TensorProgram::program_for(const Frame& frame) const {
  FrameProgram program;
  std::unordered_map<std::string, size_t> numbers;  // of tensors
  const std::unordered_set<std::string> computed(frame.statements.begin(), frame.statements.end());
  const auto add_input = [&](const std::string& name) {
    if (computed.count(name) == 0 && numbers.emplace(name, numbers.size()).second) {
      program.tensors.push_back(name);
      program.shape.inputs.push_back(type_of_tensor(name));
    }
  };
  for (const std::string& name : frame.statements) {
    const std::vector<std::string>& reads = statements_.at(name).reads;
    std::for_each(reads.begin(), reads.end(), add_input);
  }
  for (const std::vector<std::string>* names : {&frame.results, &frame.leaves}) {
    std::for_each(names->begin(), names->end(), add_input);
  }
  for (const std::string& name : frame.statements) {
    const Statement& statement = statements_.at(name);
    FrameShape::Member member{statement.bound, {}};
    for (const std::string& read : statement.reads) {
      member.reads.push_back(numbers.at(read));
    }
    program.shape.members.push_back(std::move(member));
    program.tensors.push_back(name);
    numbers.emplace(name, numbers.size());
  }
  for (const std::vector<std::string>* names : {&frame.results, &frame.leaves}) {
    for (const std::string& name : *names) {
      program.shape.outputs.push_back(numbers.at(name));
    }
  }
  program.names = names_by_place(program.tensors.size());
  return program;
}

TensorProgram::FrameProgram TensorProgram::named_program_for(const Frame& frame) const {
  FrameProgram program = program_for(frame);
  program.names = program.tensors;
  program.first_line = static_cast<int64_t>(heading_of(program, frame).size()) + 1;
  return program;
}

std::vector<std::string> TensorProgram::heading_of(const FrameProgram& program,
                                                   const Frame& frame) const {
  std::vector<std::string> lines;
  for (size_t input = 0; input < program.shape.inputs.size(); ++input) {
    FreshLabels fresh;
    lines.push_back("input " + left_text(program.tensors[input],
                                         left_of(fresh.of(program.shape.inputs[input].shape))));
  }
  std::map<std::string, int64_t> extents;
  for (const std::string& name : frame.statements) {
    for (const Label& label : labels_of(statements_.at(name).assignment)) {
      extents.emplace(name_of(label), label.extent);
    }
  }
  for (const auto& [label, extent] : extents) {
    lines.push_back(fmt::format("label {} = {}", label, extent));
  }
  return lines;
}

std::string TensorProgram::text_of(const Frame& frame) const {
  const FrameProgram program = program_for(frame);
  std::vector<std::string> lines = heading_of(program, frame);
  for (const std::string& name : frame.statements) {
    const auto title = titles_.find(name);
    lines.push_back(program::text_of(name, statements_.at(name).assignment) +
                    (title == titles_.end() ? "" : "  # " + title->second));
  }
  std::vector<std::string> outputs;
  for (const size_t output : program.shape.outputs) {
    outputs.push_back(program.tensors[output]);
  }
  lines.push_back(fmt::format("output {}", fmt::join(outputs, ", ")));
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

engine::Stages TensorProgram::planned(const Frame& frame) const {
  const FrameProgram program = named_program_for(frame);
  return with_places(program, [&] { return session_.plan(bound_program(program), {}); });
}

frontend::BoundProgram TensorProgram::bound_program(const FrameProgram& program) {
  return program_of(program.shape, program.names, kTextName, program.first_line);
}

}  // namespace tessera::program
