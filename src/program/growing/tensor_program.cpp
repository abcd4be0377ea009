#include "program/growing/tensor_program.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/ranges.h>

#include "program/growing/names_by_place.h"
#include "program/runs/reshaped_rows.h"
#include "store/memory_tensor.h"

namespace tessera::program {

namespace {

/// Tensors that are kept for versions to come; more may be of versions that read other rows each.
constexpr size_t kMostOnce = 64;
/// A number of a row in memory, and the part of the budget that those of one column may take: a
/// statement has some columns, and a copy of each.
constexpr int64_t kBytesOfNumber = 8;
constexpr int64_t kPartOfBudget = 64;
/// Fewer are no matter under any budget that a plan runs in.
constexpr int64_t kFewestWritten = int64_t{1} << 15;

template <class T>
std::shared_ptr<const store::MemoryTensor> tensor_of(const std::vector<T>& values, DType dtype,
                                                     const Shape& grid) {
  auto tensor = std::make_shared<store::MemoryTensor>(ArrayType{dtype, grid});
  std::copy(values.begin(), values.end(), tensor->view().template as<T>());
  return tensor;
}

std::string_view bytes_of(const store::MemoryTensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.view().data),
          static_cast<size_t>(size_in_bytes(tensor.type()))};
}

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
  return {
      name, {type.shape[0]}, {type.dtype, {type.shape.begin() + 1, type.shape.end()}}, hold(name)};
}

template <class T>
std::string TensorProgram::add_numbers(const std::vector<T>& values, DType dtype, const Shape& grid,
                                       const std::string& prefix) {
  const ArrayType type{dtype, grid};
  const std::string_view bytes(reinterpret_cast<const char*>(values.data()),
                               values.size() * sizeof(T));
  const size_t hash = std::hash<std::string_view>()(bytes);
  const auto [begin, end] = numbers_.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    const auto& tensor = static_cast<const store::MemoryTensor&>(*sources_.at(known->second));
    if (tensor.type() == type && bytes_of(tensor) == bytes) {
      return known->second;
    }
  }
  std::string name = add_source(tensor_of(values, dtype, grid), prefix);
  numbers_.emplace(hash, name);
  return name;
}

std::string TensorProgram::add_values(const std::vector<int64_t>& values, const Shape& grid) {
  return add_numbers(values, DType::i64, grid, "R");
}

std::string TensorProgram::add_values(const std::vector<double>& values, const Shape& grid) {
  return add_numbers(values, DType::f64, grid, "V");
}

std::string TensorProgram::add_values(const std::vector<uint64_t>& bits, DType dtype,
                                      const Shape& grid) {
  return add_numbers(bits, dtype, grid, "V");
}

bool TensorProgram::is_written(int64_t num_rows) const {
  return !others_ && num_rows > kFewestWritten &&
         num_rows * kBytesOfNumber > session_.budget().bytes / kPartOfBudget;
}

std::string TensorProgram::add_written(const std::string& key, DType dtype, const Shape& grid,
                                       const std::function<void(WrittenNumbers&)>& write) {
  const auto known = written_.find(key);
  if (known != written_.end()) {
    return known->second;
  }
  const ArrayType type{dtype, {num_elements(grid)}};
  const KeptFile file = new_file(type);
  WrittenNumbers numbers(*file.sink, dtype);
  write(numbers);
  numbers.finish();
  const std::shared_ptr<const store::TileSource> rows =
      grid.size() == 1
          ? file.source
          : std::make_shared<ReshapedRows>(file.source, ArrayType{dtype, grid}, grid.size());
  return written_[key] = add_source(rows, dtype == DType::i64 ? "R" : "V");
}

TensorProgram::KeptFile TensorProgram::place_for_numbers(const ArrayType& type) const {
  if (is_written(num_elements(type.shape))) {
    return new_file(type);
  }
  const auto tensor = std::make_shared<store::MemoryTensor>(type);
  return {tensor, tensor};
}

std::optional<TensorRows> TensorProgram::laid_out(const TensorRows& rows, const Shape& grid) {
  if (rows.grid == grid) {
    return rows;
  }
  const auto source = sources_.find(rows.name);
  if (source == sources_.end() || num_elements(grid) != num_rows(rows)) {
    return std::nullopt;
  }
  const auto* const reshaped = dynamic_cast<const ReshapedRows*>(source->second.get());
  const TensorRows other{"", grid, rows.element, nullptr};
  const std::string key = rows.name + to_string(grid);
  const auto found = stored_.find(key);
  const std::string name =
      found != stored_.end()
          ? found->second
          : add_source(std::make_shared<ReshapedRows>(
                           reshaped != nullptr ? reshaped->rows() : source->second, type_of(other),
                           grid.size()),
                       "S");
  stored_[key] = name;
  return TensorRows{name, grid, rows.element, hold(name)};
}

TensorRows TensorProgram::add(const Shape& grid, const ArrayType& element, const Labels& left,
                              const std::string& text, const FreshLabels& labels) {
  const std::string whole = fmt::format("[{}] = {}", fmt::join(left, ","), text);
  TensorRows rows{"", grid, element, nullptr};
  const auto [known, is_new] =
      known_texts_.try_emplace(whole + to_string(grid) + to_string(element), "");
  if (is_new) {
    known->second = "T" + std::to_string(++num_names_);
  }
  rows.name = known->second;
  rows.held = hold(rows.name);
  if (!is_new) {
    return rows;
  }
  StatementText reading =
      read_statement(whole, [this](const std::string& word) { return is_name(word); });
  for (const std::string& read : reading.reads) {
    ++num_readers_[read];
  }
  statements_.emplace(rows.name, Statement{rows.name + whole, type_of(rows), grid,
                                           std::move(reading), labels.given(), place_});
  order_.push_back(rows.name);
  return rows;
}

std::optional<TensorRows> TensorProgram::add_once(const Shape& grid, const ArrayType& element,
                                                  const Labels& left, const std::string& text,
                                                  const FreshLabels& labels) {
  const std::string whole = fmt::format("[{}] = {}", fmt::join(left, ","), text);
  const std::string key = whole + to_string(grid) + to_string(element);
  if (const auto known = once_.find(key); known != once_.end()) {
    known->second.last_used = ++num_uses_of_once_;
    return known->second.rows;
  }
  StatementText reading =
      read_statement(whole, [this](const std::string& word) { return is_name(word); });
  if (reading.kind != frames::OperatorKind::aggregate) {
    return std::nullopt;
  }
  if (once_.size() == kMostOnce) {
    once_.erase(
        std::min_element(once_.begin(), once_.end(), [](const auto& one, const auto& other) {
          return one.second.last_used < other.second.last_used;
        }));
  }
  TensorRows rows = add(grid, element, left, text, labels);
  rows.is_of_table = true;
  once_[key] = {rows, std::move(reading.reads), ++num_uses_of_once_};
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
  ArrayType element = parts.front().element;
  for (const TensorRows& part : parts) {
    element.dtype = promote(element.dtype, part.element.dtype);
  }
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
    const std::string read = fmt::format("{}[{}]", part.name, fmt::join(indices, ","));
    const bool is_converted = part.element.dtype != element.dtype;
    reads.push_back(is_converted ? fmt::format("{}({})", name_of(element.dtype), read) : read);
  }
  Labels left{"rows"};
  left.insert(left.end(), modes.begin(), modes.end());
  return add({num_joined}, element, left, fmt::format("concat[rows]({})", fmt::join(reads, ", ")),
             fresh);
}

std::vector<std::string> TensorProgram::needed_by(const std::vector<std::string>& results) const {
  std::unordered_set<std::string> needed;
  std::vector<std::string> open = results;
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    const auto statement = statements_.find(name);
    if (statement != statements_.end() && needed.insert(name).second) {
      const std::vector<std::string>& reads = statement->second.reading.reads;
      open.insert(open.end(), reads.begin(), reads.end());
    }
  }
  std::vector<std::string> in_order;
  std::copy_if(order_.begin(), order_.end(), std::back_inserter(in_order),
               [&](const std::string& name) { return needed.count(name) != 0; });
  return in_order;
}

void TensorProgram::call(const std::string& name, const std::string& title) {
  if (notes_runs_) {
    titles_.try_emplace(name, title);
  }
}

const std::string& TensorProgram::title_of(const std::string& name) const {
  const auto title = titles_.find(name);
  return title == titles_.end() ? name : title->second;
}

ArrayType TensorProgram::type_of_tensor(const std::string& name) const {
  const auto statement = statements_.find(name);
  return statement != statements_.end() ? statement->second.type : sources_.at(name)->type();
}

TensorProgram::Text TensorProgram::text_of(const Frame& frame) const {
  return text_of(frame, [](const std::string& text) { return text; });
}

TensorProgram::Text TensorProgram::text_by_place(const Frame& frame) const {
  NamesByPlace names;
  return text_of(frame, [&](const std::string& text) {
    return names.renamed(text, [this](const std::string& word) { return is_name(word); });
  });
}

TensorProgram::Text TensorProgram::text_of(const Frame& frame, const Rename& rename) const {
  Text program;
  std::set<std::string> labels;
  std::string body;
  for (const std::string& name : frame.statements) {
    const Statement& statement = statements_.at(name);
    labels.insert(statement.labels.begin(), statement.labels.end());
    const auto title = titles_.find(name);
    body +=
        rename(statement.text) + (title == titles_.end() ? "\n" : "  # " + title->second + "\n");
    program.tensors[rename(name)] = name;
    for (const std::string& read : statement.reading.reads) {
      program.tensors[rename(read)] = read;
    }
  }
  std::vector<std::string> outputs;
  for (const std::vector<std::string>* names : {&frame.results, &frame.leaves}) {
    for (const std::string& name : *names) {
      outputs.push_back(rename(name));
      program.tensors[outputs.back()] = name;
    }
  }
  const std::unordered_set<std::string> computed(frame.statements.begin(), frame.statements.end());
  for (const auto& [name, tensor] : program.tensors) {
    if (computed.count(tensor) != 0) {
      continue;
    }
    const ArrayType type = type_of_tensor(tensor);
    FreshLabels fresh;
    program.text += fmt::format("input {}[{}]\n", name, fmt::join(fresh.of(type.shape), ","));
    program.types[name] = type;
  }
  for (const std::string& label : labels) {
    program.text += fmt::format("label {} = {}\n", label, extent_of_label(label));
  }
  program.num_lines_before = std::count(program.text.begin(), program.text.end(), '\n');
  program.statements = frame.statements;
  program.text += body + fmt::format("output {}\n", fmt::join(outputs, ", "));
  return program;
}

TensorProgram::TensorProgram(const engine::Session& session, Framing framing,
                             frames::PipeliningHistory& learned, KnownPlans& plans,
                             RunFollower* follower, ShowError show_error)
    : session_(session),
      framing_(std::move(framing)),
      learned_(learned),
      plans_(plans),
      follower_(follower),
      show_error_(show_error ? std::move(show_error) : ShowError([](const auto&...) {})) {
  if (session.setup().link() != nullptr) {
    others_.emplace(session);
  }
}

std::shared_ptr<const std::string> TensorProgram::hold(const std::string& name) {
  std::weak_ptr<const std::string>& holders = holders_[name];
  std::shared_ptr<const std::string> held = holders.lock();
  if (held == nullptr) {
    held = std::make_shared<const std::string>(name);
    holders = held;
  }
  return held;
}

std::vector<std::string> TensorProgram::held_names() const {
  std::vector<std::string> names;
  for (const auto& [name, holders] : holders_) {
    if (!holders.expired()) {
      names.push_back(name);
    }
  }
  return names;
}

void TensorProgram::forget_unheld() {
  std::erase_if(holders_, [](const auto& entry) { return entry.second.expired(); });
  std::set<std::string> kept;
  for (const auto& [name, holders] : holders_) {
    kept.insert(name);
  }
  for (const auto& [key, name] : stored_) {
    kept.insert(name);
  }
  for (const auto& [key, once] : once_) {  // so that what it reads has the same name again
    kept.insert(once.reads.begin(), once.reads.end());
  }
  const auto is_forgotten = [&](const std::string& name) { return kept.count(name) == 0; };
  std::erase_if(sources_, [&](const auto& entry) { return is_forgotten(entry.first); });
  std::erase_if(known_texts_, [&](const auto& entry) { return is_forgotten(entry.second); });
  std::erase_if(numbers_, [&](const auto& entry) { return is_forgotten(entry.second); });
  std::erase_if(written_, [&](const auto& entry) { return is_forgotten(entry.second); });
  statements_.clear();
  num_readers_.clear();
  order_.clear();
}

}  // namespace tessera::program
