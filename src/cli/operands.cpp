#include "cli/operands.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "cli/print_tensor.h"
#include "cli/standard_streams.h"
#include "store/edge_tensor.h"

namespace tessera::cli {

namespace {

/// The name of a place that is the same however its path is written.
std::string canonical_name(const io::Place& place, const io::Format& format) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(place.path, error);
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
  const std::string file = error ? place.path : real.string();
  return format.has_members ? file + ":" + (place.member.empty() ? place.name : place.member)
                            : file;
}

/// What keeps what is printed of a result, and no more. Errors: `user` where the result has so many
/// short modes that this is too much.
std::unique_ptr<store::TileSink> printed_result(const std::string& name, const ArrayType& type) {
  constexpr int64_t kMostPrinted = 1'000'000;  // elements: 16 MB at most
  const std::optional<int64_t> edge = shown_edge(type.shape);
  const int64_t printed = num_elements(store::EdgeTensor::kept_shape(type.shape, edge));
  TESSERA_USER_CHECK(
      printed <= kMostPrinted,
      "{} is a {}, of which {} elements would be printed: give it a file, -o {}=FILE", name,
      to_string(type), printed, name);
  return std::make_unique<store::EdgeTensor>(type, edge);
}

}  // namespace

void Operands::open(const std::string& name, const std::string& spec,
                    std::optional<DType> declared) {
  const size_t colon = spec.find(':');
  std::string path = spec;
  if (colon != std::string::npos) {
    if (const std::optional<DType> dtype = parse_dtype(spec.substr(0, colon))) {
      declared = dtype;
      path = spec.substr(colon + 1);
    }
  }
  const io::Place place = formats_.place_of(path, name);
  std::unique_ptr<store::TileSource> file = formats_.for_path(place.path).open(place, declared);
  types_[name] = file->type();
  files_[name] = std::move(file);
}

std::map<std::string, const store::TileSource*> Operands::sources() const {
  std::map<std::string, const store::TileSource*> sources;
  for (const auto& [name, file] : files_) {
    sources[name] = file.get();
  }
  return sources;
}

Results::Results(const io::FormatRegistry& formats, const std::vector<plan::SinkInfo>& sinks,
                 const std::map<std::string, std::string>& files) {
  std::map<std::string, std::string> taken;  // what goes there, by place
  for (const plan::SinkInfo& sink : sinks) {
    const auto file = files.find(sink.name);
    if (file == files.end()) {
      results_.push_back({sink.name, sink.type, printed_result(sink.name, sink.type), ""});
      continue;
    }
    const io::Place place = formats.place_of(file->second, sink.name);
    const io::Format& format = formats.for_path(place.path);
    TESSERA_USER_CHECK(format.create != nullptr, "{}: {} files are only read, not written",
                       place.path, format.name);
    const std::string option = sink.name + "=" + file->second;
    const auto [before, is_free] = taken.emplace(canonical_name(place, format), option);
    TESSERA_USER_CHECK(is_free, "-o {} and -o {} name one place: each result needs its own",
                       before->second, option);
    results_.push_back({sink.name, sink.type, format.create(place, sink.type), file->second});
  }
}

std::map<std::string, store::TileSink*> Results::sinks() const {
  std::map<std::string, store::TileSink*> sinks;
  for (const Result& result : results_) {
    sinks[result.name] = result.sink.get();
  }
  return sinks;
}

void Results::finish(bool quiet, bool print) {
  for (const Result& result : results_) {
    result.sink->commit();
    if (!result.path.empty() && !quiet) {
      write_message(fmt::format("wrote {}: {}", result.path, to_string(result.type)));
    }
  }
  for (const Result& result : results_) {
    if (!result.path.empty() || !print) {
      continue;
    }
    const std::string title =
        results_.size() == 1
            ? ""
            : fmt::format("{} ={}", result.name, result.type.shape.size() > 1 ? "\n" : " ");
    write_output(title + tensor_text(static_cast<const store::EdgeTensor&>(*result.sink)) + "\n");
  }
}

}  // namespace tessera::cli
