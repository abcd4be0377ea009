#include "program/growing/tensor_program.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "expr/function_ids.h"
#include "frontend/einsum/program/language_calls.h"
#include "program/growing/statement_text.h"
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
std::shared_ptr<store::MemoryTensor> tensor_of(const std::vector<T>& values, DType dtype,
                                               const Shape& grid) {
  auto tensor = std::make_shared<store::MemoryTensor>(ArrayType{dtype, grid});
  std::copy(values.begin(), values.end(), tensor->view().template as<T>());
  return tensor;
}

/// The indices of a grid of rows that are counted by one label.
Expressions grid_indices(const Label& rows, const Shape& grid) {
  if (grid.size() == 1) {
    return {rows};
  }
  const Strides steps = dense_strides(grid);
  Expressions indices;
  for (size_t mode = 0; mode < grid.size(); ++mode) {
    indices.push_back(
        call(expr::id::kRemainder,
             {call(expr::id::kFloorDivide, {rows, number(steps[mode])}), number(grid[mode])}));
  }
  return indices;
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

TensorRows TensorProgram::add_stored(const std::string& key,
                                     std::shared_ptr<const store::TileSource> rows) {
  const ArrayType type = rows->type();
  const std::string name = inputs_.add_stored(key, std::move(rows));
  return {
      name, {type.shape[0]}, {type.dtype, {type.shape.begin() + 1, type.shape.end()}}, hold(name)};
}

std::string TensorProgram::add_values(const std::vector<int64_t>& values, const Shape& grid) {
  return inputs_.add_numbers("R", tensor_of(values, DType::i64, grid));
}

std::string TensorProgram::add_values(const std::vector<double>& values, const Shape& grid) {
  return inputs_.add_numbers("V", tensor_of(values, DType::f64, grid));
}

std::string TensorProgram::add_values(const std::vector<uint64_t>& bits, DType dtype,
                                      const Shape& grid) {
  return inputs_.add_numbers("V", tensor_of(bits, dtype, grid));
}

bool TensorProgram::is_written(int64_t num_rows) const {
  return !others_ && num_rows > kFewestWritten &&
         num_rows * kBytesOfNumber > session_.budget().bytes / kPartOfBudget;
}

std::string TensorProgram::add_written(const std::string& key, DType dtype, const Shape& grid,
                                       const std::function<void(WrittenNumbers&)>& write) {
  return inputs_.add_written(
      key, dtype, grid, [this](const ArrayType& type) { return new_file(type); }, write);
}

KeptFile TensorProgram::place_for_numbers(const ArrayType& type) const {
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
  if (!inputs_.has(rows.name) || num_elements(grid) != num_rows(rows)) {
    return std::nullopt;
  }
  const TensorRows other{"", grid, rows.element, nullptr};
  const std::string name = inputs_.add_laid_out(rows.name, type_of(other), grid);
  return TensorRows{name, grid, rows.element, hold(name)};
}

TensorRows TensorProgram::add(const Shape& grid, const ArrayType& element,
                              const Assignment& assignment) {
  TensorRows rows{"", grid, element, nullptr};
  const StatementKey key{assignment, grid, element};
  if (const auto known = known_.find(key); known != known_.end()) {
    rows.name = known->second;
    rows.held = hold(rows.name);
    return rows;
  }
  std::vector<std::string> reads = tensors_read(assignment);
  BoundStatementPtr vertices = bound(assignment, reads, rows);
  rows.name = inputs_.new_name("T");
  rows.held = hold(rows.name);
  known_.emplace(key, rows.name);
  for (const std::string& read : reads) {
    ++num_readers_[read];
  }
  statements_.emplace(rows.name, Statement{assignment, std::move(reads), kind_of(assignment),
                                           std::move(vertices), type_of(rows), grid, place_});
  order_.push_back(rows.name);
  return rows;
}

BoundStatementPtr TensorProgram::bound(const Assignment& assignment,
                                       const std::vector<std::string>& reads,
                                       const TensorRows& rows) const {
  std::vector<ArrayType> types;
  for (const std::string& read : reads) {
    types.push_back(type_of_tensor(read));
  }
  BoundStatementPtr vertices;
  try {
    vertices = learned_.statements.bind(assignment, reads, types);
  } catch (const Error& error) {
    fail_at(place_, in_words_of_user(error, reads, reads));
  }
  TESSERA_CHECK(vertices->type() == type_of(rows), "a statement makes {}, and its rows are {}: {}",
                to_string(vertices->type()), to_string(type_of(rows)),
                program::text_of("", assignment));
  return vertices;
}

std::optional<TensorRows> TensorProgram::add_once(const Shape& grid, const ArrayType& element,
                                                  const Assignment& assignment) {
  const StatementKey key{assignment, grid, element};
  if (const auto known = once_.find(key); known != once_.end()) {
    known->second.last_used = ++num_uses_of_once_;
    return known->second.rows;
  }
  if (kind_of(assignment) != frames::OperatorKind::aggregate) {
    return std::nullopt;
  }
  if (once_.size() == kMostOnce) {
    once_.erase(
        std::min_element(once_.begin(), once_.end(), [](const auto& one, const auto& other) {
          return one.second.last_used < other.second.last_used;
        }));
  }
  TensorRows rows = add(grid, element, assignment);
  rows.is_of_table = true;
  once_[key] = {rows, tensors_read(assignment), ++num_uses_of_once_};
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
  for (const TensorRows& part : parts) {
    num_joined += num_rows(part);
  }
  const Label rows = fresh.of(num_joined);
  Expressions reads;
  for (const TensorRows& part : parts) {
    const Expression elements =
        read(part.name, joined(grid_indices(rows, part.grid), indices_of(modes)));
    const bool is_converted = part.element.dtype != element.dtype;
    reads.push_back(is_converted ? converted(element.dtype, elements) : elements);
  }
  return add({num_joined}, element,
             {left_of(joined(Labels{rows}, modes)),
              apply(std::string(frontend::kConcat), {rows}, std::move(reads))});
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
  return statement != statements_.end() ? statement->second.type : inputs_.at(name)->type();
}

TensorProgram::TensorProgram(const engine::Session& session, Framing framing, Learned& learned,
                             RunFollower* follower, ShowError show_error)
    : session_(session),
      framing_(std::move(framing)),
      learned_(learned),
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
  for (const auto& [key, once] : once_) {  // so that what it reads has the same name again
    kept.insert(once.reads.begin(), once.reads.end());
  }
  std::erase_if(known_, [&](const auto& entry) { return !kept.contains(entry.second); });
  inputs_.forget_all_but(std::move(kept));
  statements_.clear();
  num_readers_.clear();
  order_.clear();
}

}  // namespace tessera::program
