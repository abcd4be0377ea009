#include "engine/files/input_files.h"

#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace tessera::engine {

namespace {

std::vector<frontend::DeclaredInput> declared_inputs(const Source& source) {
  const auto* program = std::get_if<Program>(&source);
  return program == nullptr ? std::vector<frontend::DeclaredInput>()
                            : frontend::inputs_of_program(program->source).value();
}

/// A file as `[dtype:]path`.
std::pair<std::optional<DType>, std::string> split_dtype(const std::string& file) {
  const size_t colon = file.find(':');
  if (colon != std::string::npos) {
    if (const std::optional<DType> dtype = parse_dtype(file.substr(0, colon))) {
      return {dtype, file.substr(colon + 1)};
    }
  }
  return {std::nullopt, file};
}

}  // namespace

std::map<std::string, std::optional<DType>> declared_dtypes(const Source& source) {
  std::map<std::string, std::optional<DType>> dtypes;
  for (const frontend::DeclaredInput& input : declared_inputs(source)) {
    dtypes[input.name] = input.dtype;
  }
  return dtypes;
}

std::map<std::string, ArrayType> declared_types(const Source& source) {
  std::map<std::string, ArrayType> types;
  for (const frontend::DeclaredInput& input : declared_inputs(source)) {
    ArrayType type{input.dtype.value_or(DType::f32), {}};
    for (const std::optional<int64_t>& extent : input.extents) {
      if (extent) {
        type.shape.push_back(*extent);
      }
    }
    if (type.shape.size() == input.extents.size()) {
      types[input.name] = std::move(type);
    }
  }
  return types;
}

std::vector<std::string> operand_names(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const std::string& file : files) {
    const std::string stem = std::filesystem::path(file.substr(file.find(':') + 1)).stem().string();
    std::string name = stem;
    for (int copy = 2; !taken.insert(name).second; ++copy) {
      name = fmt::format("{}_{}", stem, copy);
    }
    names.push_back(std::move(name));
  }
  return names;
}

void InputFiles::open(const std::string& name, const std::string& file,
                      std::optional<DType> declared) {
  const auto [said, path] = split_dtype(file);
  const io::Place place = formats_.place_of(path, name);
  std::unique_ptr<store::TileSource> source =
      formats_.for_path(place.path).open(place, said ? said : declared);
  types_[name] = source->type();
  files_[name] = std::move(source);
}

frontend::Bindings InputFiles::bindings(std::map<std::string, Literal> parameters) const {
  frontend::Bindings bindings{types_, std::move(parameters), {}};
  for (const auto& [name, file] : files_) {
    if (file->order() == StorageOrder::column_major) {
      bindings.column_major.insert(name);
    }
  }
  return bindings;
}

std::map<std::string, const store::TileSource*> InputFiles::sources() const {
  std::map<std::string, const store::TileSource*> sources;
  for (const auto& [name, file] : files_) {
    sources[name] = file.get();
  }
  return sources;
}

}  // namespace tessera::engine
