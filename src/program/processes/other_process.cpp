#include "program/processes/other_process.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/checked_array.h"
#include "io/rows_in_files.h"
#include "io/shared_sink.h"
#include "ir/einsum/text.h"
#include "net/messages.h"
#include "program/processes/common_array.h"
#include "program/processes/program_message.h"
#include "program/runs/one_program.h"
#include "program/runs/reshaped_rows.h"
#include "program/runs/row_sinks.h"
#include "store/memory_tensor.h"

namespace tessera::program {

namespace {

using SourcePtr = std::shared_ptr<const store::TileSource>;

/// The type of all rows in one mode.
ArrayType rows_type(const SharedInput& input) {
  const auto modes = static_cast<std::ptrdiff_t>(input.num_grid_modes);
  const Shape& shape = input.type.shape;
  ArrayType type{input.type.dtype, {num_elements({shape.begin(), shape.begin() + modes})}};
  type.shape.insert(type.shape.end(), shape.begin() + modes, shape.end());
  return type;
}

SourcePtr tensor_of(const ArrayType& type, const std::string& bytes) {
  auto tensor = std::make_shared<store::MemoryTensor>(type);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(tensor->view().data));
  return tensor;
}

SourcePtr rows_in_files(const SharedInput& input, const engine::Session& session) {
  std::vector<io::FileRows> parts;
  for (const SharedRows& rows : input.rows) {
    const io::CheckedArray file{rows.path, rows.label, rows.type};
    parts.push_back({rows.first_row, file,
                     rows.path.empty()    ? tensor_of(rows.type, rows.bytes)
                     : rows.label.empty() ? open_common(rows.path, rows.type, session)
                                          : io::open_checked(file)});
  }
  return std::make_shared<io::RowsInFiles>(rows_type(input), std::move(parts));
}

SourcePtr source_of(const SharedInput& input, const engine::Session& session) {
  if (input.rows.empty()) {
    return tensor_of(input.type, input.bytes);
  }
  SourcePtr rows = rows_in_files(input, session);
  return input.num_grid_modes == 1
             ? rows
             : std::make_shared<ReshapedRows>(std::move(rows), input.type,
                                              static_cast<size_t>(input.num_grid_modes));
}

/// The results of one program.
class JoinedResults {
 public:
  explicit JoinedResults(const std::vector<SharedResult>& results) {
    for (const SharedResult& result : results) {
      files_.push_back(io::join_shared(result.place, result.name, result.type));
      sinks_.add(result.name, *files_.back(), result.grid);
    }
  }

  const std::map<std::string, store::TileSink*>& sinks() const { return sinks_.sinks(); }
  void commit() {
    for (const std::unique_ptr<store::TileSink>& file : files_) {
      file->commit(store::Durability::process);
    }
  }

 private:
  std::vector<std::unique_ptr<store::TileSink>> files_;
  FlattenedSinks sinks_;
};

/// The tensors of the first process that this process knows.
class OtherProcess {
 public:
  OtherProcess(const engine::Session& session, const engine::RunControl& control)
      : session_(session), control_(control) {}

  void run(const ProgramMessage& message) {
    take_inputs(message);
    engine::Round round{program_of(message), {}, {}, {}, {}};
    for (const std::string& name : message.reads) {
      round.bindings.inputs[name] = inputs_.at(name)->type();
      round.sources[name] = inputs_.at(name).get();
    }
    JoinedResults results(message.results);
    OneProgram program(std::move(round), {results.sinks(), control_}, nullptr);
    session_.execute(program);
    results.commit();
    net::barrier(*session_.setup().link());
  }

 private:
  frontend::BoundProgram program_of(const ProgramMessage& message) const {
    frontend::BoundProgram program;
    program.graph = einsum::parse_graph({"<a message>", message.graph}, session_.functions(),
                                        session_.aggregates());
    program.defined.insert(message.defined.begin(), message.defined.end());
    return program;
  }

  void take_inputs(const ProgramMessage& message) {
    const std::set<std::string> known(message.known.begin(), message.known.end());
    std::erase_if(inputs_, [&](const auto& input) { return !known.contains(input.first); });
    for (const SharedInput& input : message.inputs) {
      inputs_[input.name] = source_of(input, session_);
    }
  }

  const engine::Session& session_;
  engine::RunControl control_;
  std::map<std::string, SourcePtr> inputs_;
};

}  // namespace

void run_with_first_process(const engine::Session& session, const engine::RunControl& control) {
  OtherProcess process(session, control);
  while (true) {
    const std::vector<std::byte> bytes = net::hear(*session.setup().link(), 0);
    const ProgramMessage message = message_of(bytes);
    if (message.graph.empty()) {
      return;
    }
    process.run(message);
  }
}

}  // namespace tessera::program
