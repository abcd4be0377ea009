#include "program/growing/program_inputs.h"

#include <string_view>
#include <utility>

#include "program/runs/reshaped_rows.h"

namespace tessera::program {

namespace {

std::string_view bytes_of(const store::MemoryTensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.view().data),
          static_cast<size_t>(size_in_bytes(tensor.type()))};
}

}  // namespace

std::string ProgramInputs::add(const std::string& prefix, Source source) {
  std::string name = new_name(prefix);
  sources_.emplace(name, std::move(source));
  return name;
}

std::string ProgramInputs::add_stored(const std::string& key, Source source) {
  const auto found = stored_.find(key);
  return found != stored_.end() ? found->second : stored_[key] = add("S", std::move(source));
}

std::string ProgramInputs::add_numbers(const std::string& prefix,
                                       std::shared_ptr<store::MemoryTensor> numbers) {
  const size_t hash = std::hash<std::string_view>()(bytes_of(*numbers));
  const auto [begin, end] = numbers_.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    const auto& tensor = static_cast<const store::MemoryTensor&>(*sources_.at(known->second));
    if (tensor.type() == numbers->type() && bytes_of(tensor) == bytes_of(*numbers)) {
      return known->second;
    }
  }
  std::string name = add(prefix, std::move(numbers));
  numbers_.emplace(hash, name);
  return name;
}

std::string ProgramInputs::add_written(const std::string& key, DType dtype, const Shape& grid,
                                       const std::function<KeptFile(const ArrayType&)>& file,
                                       const std::function<void(WrittenNumbers&)>& write) {
  const auto known = written_.find(key);
  if (known != written_.end()) {
    return known->second;
  }
  const KeptFile made = file({dtype, {num_elements(grid)}});
  WrittenNumbers numbers(*made.sink, dtype);
  write(numbers);
  numbers.finish();
  const Source rows = grid.size() == 1 ? made.source
                                       : std::make_shared<ReshapedRows>(
                                             made.source, ArrayType{dtype, grid}, grid.size());
  return written_[key] = add(dtype == DType::i64 ? "R" : "V", rows);
}

std::string ProgramInputs::add_laid_out(const std::string& name, const ArrayType& type,
                                        const Shape& grid) {
  const Source& source = sources_.at(name);
  const auto* const reshaped = dynamic_cast<const ReshapedRows*>(source.get());
  return add_stored(name + to_string(grid),
                    std::make_shared<ReshapedRows>(reshaped != nullptr ? reshaped->rows() : source,
                                                   type, grid.size()));
}

void ProgramInputs::forget_all_but(std::set<std::string> kept) {
  for (const auto& [key, name] : stored_) {
    kept.insert(name);
  }
  const auto is_forgotten = [&](const std::string& name) { return !kept.contains(name); };
  std::erase_if(sources_, [&](const auto& entry) { return is_forgotten(entry.first); });
  std::erase_if(numbers_, [&](const auto& entry) { return is_forgotten(entry.second); });
  std::erase_if(written_, [&](const auto& entry) { return is_forgotten(entry.second); });
}

}  // namespace tessera::program
