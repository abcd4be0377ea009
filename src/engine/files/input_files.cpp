#include "engine/files/input_files.h"

#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "frontend/einsum/expression/fold.h"
#include "store/memory_tensor.h"
#include "types/native.h"

namespace tessera::engine {

namespace {

std::vector<frontend::DeclaredInput> headers_of(const Source& source) {
  const auto* program = std::get_if<Program>(&source);
  return program == nullptr ? std::vector<frontend::DeclaredInput>()
                            : frontend::inputs_of_program(program->source).value();
}

/// Splits a file given as `[dtype:]path`.
std::pair<std::optional<DType>, std::string> split_dtype(const std::string& file) {
  const size_t colon = file.find(':');
  if (colon != std::string::npos) {
    if (const std::optional<DType> dtype = parse_dtype(file.substr(0, colon))) {
      return {dtype, file.substr(colon + 1)};
    }
  }
  return {std::nullopt, file};
}

/// True if a number is one of a dtype, stored as T: the conversion changes it by rounding at most.
template <class T>
bool is_number_of(const Literal& number, DType dtype) {
  if constexpr (std::is_same_v<T, bool>) {
    return std::holds_alternative<bool>(number);
  } else if constexpr (std::is_integral_v<T>) {
    if (const auto* large = std::get_if<uint64_t>(&number)) {
      return std::in_range<T>(*large);
    }
    const auto* whole = std::get_if<int64_t>(&number);
    return whole != nullptr && std::in_range<T>(*whole);
  } else {
    return is_complex(dtype) || !std::holds_alternative<std::complex<double>>(number);
  }
}

}  // namespace

std::map<std::string, frontend::DeclaredInput> declared_inputs(const Source& source) {
  std::map<std::string, frontend::DeclaredInput> inputs;
  for (frontend::DeclaredInput& input : headers_of(source)) {
    inputs[input.name] = input;
  }
  return inputs;
}

std::map<std::string, ArrayType> declared_types(const Source& source) {
  std::map<std::string, ArrayType> types;
  for (const frontend::DeclaredInput& input : headers_of(source)) {
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

void InputFiles::hold(const std::string& name, const Literal& number,
                      std::optional<DType> declared) {
  const ArrayType type{declared.value_or(frontend::default_dtype(number)), {}};
  auto scalar = std::make_unique<store::MemoryTensor>(type);
  visit_storage_type(type.dtype, [&]<class T>(std::type_identity<T>) {
    TESSERA_USER_CHECK(is_number_of<T>(number, type.dtype),
                       "{0}={1}: the header of {0} says {2}, and {1} is none", name,
                       to_string(number), name_of(type.dtype));
    constexpr bool kNarrow = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
    const T value(literal_as<std::conditional_t<kNarrow, float, T>>(number));
    std::memcpy(scalar->view().data, &value, sizeof(T));
  });
  types_[name] = type;
  files_[name] = std::move(scalar);
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
