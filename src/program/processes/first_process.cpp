#include "program/processes/first_process.h"

#include <span>
#include <utility>
#include <vector>

#include "io/rows_in_files.h"
#include "io/shared_sink.h"
#include "ir/einsum/text.h"
#include "net/messages.h"
#include "program/processes/common_array.h"
#include "program/runs/reshaped_rows.h"
#include "store/memory_tensor.h"

namespace tessera::program {

namespace {

constexpr int64_t kMostSentBytes = int64_t{1} << 20;  // of an input that is not put into a file

bool is_in_files(const store::TileSource& rows) {
  return dynamic_cast<const io::RowsInFiles*>(&rows) != nullptr ||
         dynamic_cast<const CommonArray*>(&rows) != nullptr;
}

std::string bytes_of(const store::TileSource& rows) {
  const store::MemoryTensor all(rows.type());
  rows.read(all.view());
  return {reinterpret_cast<const char*>(all.view().data),
          static_cast<size_t>(size_in_bytes(all.type()))};
}

std::vector<SharedRows> files_of(const store::TileSource& rows) {
  std::vector<SharedRows> files;
  if (const auto* stored = dynamic_cast<const io::RowsInFiles*>(&rows)) {
    for (const io::FileRows& part : stored->parts()) {
      const bool is_sent = part.file.path.empty();
      files.push_back({part.first_row, part.file.path, part.file.label, part.rows->type(),
                       is_sent ? bytes_of(*part.rows) : ""});
    }
  } else if (const auto* common = dynamic_cast<const CommonArray*>(&rows)) {
    files.push_back({0, common->meeting_place(), "", common->type(), ""});
  }
  return files;
}

/// The files that all write, and what is done with them once they have.
class SharedSinks {
 public:
  SharedSinks(const std::map<std::string, RowSink>& results, const engine::Session& session) {
    for (const auto& [name, result] : results) {
      auto* shared = dynamic_cast<io::SharedSink*>(result.sink);
      if (shared == nullptr) {
        copied_[name] = std::make_unique<CommonArray>(result.type, session);
        shared = copied_[name].get();
      }
      told_.push_back({name, result.type, result.grid, shared->meeting_place()});
      sinks_.add(name, *shared, result.grid);
    }
  }

  const std::vector<SharedResult>& told() const { return told_; }
  const std::map<std::string, store::TileSink*>& sinks() const { return sinks_.sinks(); }

  /// REQUIRES that all processes have written theirs.
  void copy_to(const std::map<std::string, RowSink>& results) {
    for (auto& [name, file] : copied_) {
      file->commit(store::Durability::process);
      copy_rows(*file, *results.at(name).sink);
    }
  }

 private:
  std::map<std::string, std::unique_ptr<CommonArray>> copied_;
  FlattenedSinks sinks_;
  std::vector<SharedResult> told_;
};

}  // namespace

SharedInput FirstProcess::shared(const std::string& name,
                                 const std::shared_ptr<const store::TileSource>& source) {
  SharedInput input{name, source->type(), 1, {}, ""};
  const auto* const reshaped = dynamic_cast<const ReshapedRows*>(source.get());
  const store::TileSource* rows = source.get();
  if (reshaped != nullptr && is_in_files(*reshaped->rows())) {
    rows = reshaped->rows().get();
    input.num_grid_modes = static_cast<int64_t>(reshaped->num_grid_modes());
  } else if (!is_in_files(*rows) && size_in_bytes(input.type) > kMostSentBytes) {
    auto copy = std::make_shared<CommonArray>(input.type, session_);
    copy_rows(*source, *copy);
    copy->commit(store::Durability::process);
    rows = copy.get();
    copies_[name] = std::move(copy);
  }
  if (is_in_files(*rows)) {
    input.rows = files_of(*rows);
  } else {
    input.bytes = bytes_of(*source);
  }
  return input;
}

void FirstProcess::send(const ProgramMessage& message) const {
  net::broadcast(*session_.setup().link(), to_bytes(message));
}

void FirstProcess::run_by_all(const frontend::BoundProgram& program, const Inputs& inputs,
                              const Inputs& known, const std::map<std::string, RowSink>& results,
                              const Run& run) {
  SharedSinks files(results, session_);
  ProgramMessage message{ir::to_text(einsum::describe(program.graph, session_.aggregates())),
                         {program.defined.begin(), program.defined.end()},
                         {},
                         {},
                         {},
                         files.told()};
  std::erase_if(told_, [&](const std::string& name) { return !known.contains(name); });
  std::erase_if(copies_, [&](const auto& copy) { return !known.contains(copy.first); });
  message.known.assign(told_.begin(), told_.end());
  for (const auto& [name, source] : inputs) {
    message.reads.push_back(name);
    if (told_.insert(name).second) {
      message.inputs.push_back(shared(name, source));
    }
  }
  send(message);
  run(files.sinks());
  net::barrier(*session_.setup().link());  // the others have written their parts
  files.copy_to(results);
}

void end_other_processes(const engine::Session& session) {
  net::broadcast(*session.setup().link(), to_bytes({}));
}

}  // namespace tessera::program
