#include "sql/tensor_program.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/temporary_file.h"
#include "io/unnamed_array.h"
#include "sql/reshaped_rows.h"
#include "store/memory_tensor.h"

namespace tessera::sql {

namespace {

template <class T>
std::shared_ptr<const store::TileSource> tensor_of(const std::vector<T>& values, DType dtype,
                                                   const Shape& grid) {
  auto tensor = std::make_shared<store::MemoryTensor>(ArrayType{dtype, grid});
  std::copy(values.begin(), values.end(), tensor->view().template as<T>());
  return tensor;
}

/// One program, executed once.
class OneProgram : public engine::Rounds {
 public:
  /// Adds what its plans are estimated to take to `seconds`.
  OneProgram(engine::Round round, engine::Outlets outlets, RunFollower* follower, double& seconds)
      : round_(std::move(round)),
        outlets_(std::move(outlets)),
        follower_(follower),
        seconds_(seconds) {}
  ~OneProgram() override { end(); }
  OneProgram(const OneProgram&) = delete;
  OneProgram& operator=(const OneProgram&) = delete;

  std::optional<engine::Round> next(const engine::Sources&) override {
    return std::exchange(round_, std::nullopt);
  }
  void planned(const engine::Stages&) override {}
  engine::Outlets outlets(const engine::Plan& plan) override {
    end();
    for (const plan::TaskInfo& task : plan.tasks.tasks) {
      seconds_ += task.seconds;
    }
    engine::Outlets outlets = outlets_;
    if (follower_ != nullptr) {
      outlets.control.listener = follower_->begin(plan);
    }
    return outlets;
  }
  void ran(const engine::Plan&, std::vector<runtime::RunReport>) override { end(); }
  void done(const engine::Stages&) override {}

 private:
  void end() {
    if (follower_ != nullptr) {
      follower_->end();
    }
  }

  std::optional<engine::Round> round_;
  engine::Outlets outlets_;
  RunFollower* follower_;
  double& seconds_;
};

}  // namespace

int64_t num_rows(const TensorRows& rows) {
  return num_elements(rows.grid);
}

ArrayType type_of(const TensorRows& rows) {
  ArrayType type{rows.element.dtype, rows.grid};
  type.shape.insert(type.shape.end(), rows.element.shape.begin(), rows.element.shape.end());
  return type;
}

std::string TensorProgram::add_source(std::shared_ptr<const store::TileSource> source,
                                      const std::string& prefix) {
  std::string name = prefix + std::to_string(++num_names_);
  sources_.emplace(name, std::move(source));
  return name;
}

TensorRows TensorProgram::add_stored(const std::string& key,
                                     std::shared_ptr<const store::TileSource> rows) {
  const ArrayType type = rows->type();
  const auto found = stored_.find(key);
  const std::string name =
      found != stored_.end() ? found->second : add_source(std::move(rows), "S");
  stored_[key] = name;
  return {name, {type.shape[0]}, {type.dtype, {type.shape.begin() + 1, type.shape.end()}}};
}

std::string TensorProgram::add_values(const std::vector<int64_t>& values, const Shape& grid) {
  return add_source(tensor_of(values, DType::i64, grid), "R");
}

std::string TensorProgram::add_values(const std::vector<double>& values, const Shape& grid) {
  return add_source(tensor_of(values, DType::f64, grid), "V");
}

std::vector<std::string> TensorProgram::names_in(const std::string& text) const {
  // A capital and a number: no label and no function of the language is called so.
  std::vector<std::string> names;
  for (size_t begin = 0; begin < text.size();) {
    const auto is_in_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    size_t end = begin;
    while (end < text.size() && is_in_word(text[end])) {
      ++end;
    }
    const std::string word = text.substr(begin, end - begin);
    if (sources_.count(word) != 0 || statements_.count(word) != 0) {
      names.push_back(word);
    }
    begin = std::max(end, begin + 1);
  }
  return names;
}

std::optional<TensorRows> TensorProgram::laid_out(const TensorRows& rows, const Shape& grid) {
  if (rows.grid == grid) {
    return rows;
  }
  const auto source = sources_.find(rows.name);
  if (source == sources_.end() || num_elements(grid) != num_rows(rows)) {
    return std::nullopt;
  }
  const TensorRows other{"", grid, rows.element};
  const std::string key = rows.name + to_string(grid);
  const auto found = stored_.find(key);
  const std::string name =
      found != stored_.end()
          ? found->second
          : add_source(std::make_shared<ReshapedRows>(source->second, type_of(other), grid.size()),
                       "S");
  stored_[key] = name;
  return TensorRows{name, grid, rows.element};
}

TensorRows TensorProgram::add(const Shape& grid, const ArrayType& element, const Labels& left,
                              const std::string& text, const FreshLabels& labels) {
  const TensorRows rows{"T" + std::to_string(++num_names_), grid, element};
  const std::string whole = fmt::format("[{}] = {}", fmt::join(left, ","), text);
  statements_.emplace(rows.name, Statement{rows.name + whole, type_of(rows), grid, names_in(whole),
                                           labels.given()});
  order_.push_back(rows.name);
  return rows;
}

TensorRows TensorProgram::add_empty(const ArrayType& element) {
  ArrayType type = element;
  type.shape.insert(type.shape.begin(), 0);
  return add_stored("empty " + to_string(type), std::make_shared<store::MemoryTensor>(type));
}

TensorRows TensorProgram::add_joined(const std::vector<TensorRows>& parts) {
  if (parts.size() == 1) {
    return parts.front();
  }
  FreshLabels fresh;
  const ArrayType& element = parts.front().element;
  const Labels modes = fresh.of(element.shape);
  int64_t num_joined = 0;
  std::vector<std::string> reads;
  for (const TensorRows& part : parts) {
    num_joined += num_rows(part);
    const Strides steps = dense_strides(part.grid);
    Labels indices;
    for (size_t mode = 0; mode < part.grid.size(); ++mode) {
      indices.push_back(part.grid.size() == 1
                            ? "rows"
                            : fmt::format("rows // {} % {}", steps[mode], part.grid[mode]));
    }
    indices.insert(indices.end(), modes.begin(), modes.end());
    reads.push_back(fmt::format("{}[{}]", part.name, fmt::join(indices, ",")));
  }
  Labels left{"rows"};
  left.insert(left.end(), modes.begin(), modes.end());
  return add({num_joined}, element, left, fmt::format("concat[rows]({})", fmt::join(reads, ", ")),
             fresh);
}

std::set<std::string> TensorProgram::needed_by(const std::vector<std::string>& results) const {
  std::set<std::string> needed;
  std::vector<std::string> open = results;
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    const auto statement = statements_.find(name);
    if (needed.insert(name).second && statement != statements_.end()) {
      open.insert(open.end(), statement->second.reads.begin(), statement->second.reads.end());
    }
  }
  return needed;
}

TensorProgram::Text TensorProgram::text_for(const std::vector<std::string>& results) const {
  const std::set<std::string> needed = needed_by(results);
  Text program;
  std::string body;
  std::set<std::string> labels;
  for (const std::string& name : needed) {
    const auto source = sources_.find(name);
    if (source != sources_.end()) {
      const ArrayType type = source->second->type();
      program.types[name] = type;
      FreshLabels fresh;
      program.text += fmt::format("input {}[{}]\n", name, fmt::join(fresh.of(type.shape), ","));
    }
  }
  for (const std::string& name : order_) {
    if (needed.count(name) != 0) {
      const Statement& statement = statements_.at(name);
      labels.insert(statement.labels.begin(), statement.labels.end());
      body += statement.text + "\n";
    }
  }
  for (const std::string& label : labels) {
    program.text += fmt::format("label {} = {}\n", label, extent_of_label(label));
  }
  program.text += body + fmt::format("output {}\n", fmt::join(results, ", "));
  return program;
}

void TensorProgram::run(const std::map<std::string, store::TileSink*>& results,
                        const engine::RunControl& control) {
  std::vector<std::string> names;
  std::map<std::string, std::unique_ptr<FlattenedRows>> flattened;
  std::map<std::string, store::TileSink*> sinks = results;
  for (auto& [name, sink] : sinks) {
    names.push_back(name);
    const auto statement = statements_.find(name);
    if (statement != statements_.end() && statement->second.grid.size() != 1) {
      flattened[name] = std::make_unique<FlattenedRows>(*sink, statement->second.grid);
      sink = flattened[name].get();
    }
  }
  const Text program = text_for(names);
  engine::Round round{engine::Program{{"<tensor part>", program.text}}, {}, {}, {}, {}};
  for (const auto& [name, type] : program.types) {
    round.bindings.inputs[name] = type;
    round.sources[name] = sources_.at(name).get();
  }
  OneProgram rounds(std::move(round), {std::move(sinks), control}, follower_, estimated_seconds_);
  session_.execute(rounds);
}

void TensorProgram::keep(const std::vector<std::string>& names, const engine::RunControl& control) {
  const std::string directory = session_.settings().spill_directory.value_or(temporary_directory());
  std::map<std::string, std::shared_ptr<io::UnnamedArray>> files;
  std::map<std::string, store::TileSink*> sinks;
  for (const std::string& name : names) {
    if (statements_.count(name) != 0 && files.count(name) == 0) {
      files[name] = std::make_shared<io::UnnamedArray>(directory, statements_.at(name).flat_type());
      sinks[name] = files[name].get();
    }
  }
  if (sinks.empty()) {
    return;
  }
  run(sinks, control);
  for (auto& [name, file] : files) {
    file->commit(store::Durability::process);
    const Statement& statement = statements_.at(name);
    sources_[name] = statement.grid.size() != 1
                         ? std::shared_ptr<const store::TileSource>(std::make_shared<ReshapedRows>(
                               file, statement.type, statement.grid.size()))
                         : file;
    statements_.erase(name);
    order_.erase(std::find(order_.begin(), order_.end(), name));
  }
}

void TensorProgram::forget_others(const std::vector<std::string>& names) {
  const std::set<std::string> kept(names.begin(), names.end());
  std::set<std::string> needed;
  for (const auto& [key, name] : stored_) {
    needed.insert(name);
  }
  for (auto source = sources_.begin(); source != sources_.end();) {
    const bool stays = kept.count(source->first) != 0 || needed.count(source->first) != 0;
    source = stays ? std::next(source) : sources_.erase(source);
  }
  statements_.clear();
  order_.clear();
}

}  // namespace tessera::sql
