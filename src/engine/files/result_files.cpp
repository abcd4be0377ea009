#include "engine/files/result_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/suggest.h"
#include "engine/setup/common_file.h"
#include "io/shared_sink.h"

namespace tessera::engine {

namespace {

/// Returns the name of a place in a form that is the same for every spelling of its path.
std::string canonical_name(const io::Place& place, const io::Format& format) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(place.path, error);
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
  const std::string file = error ? place.path : real.string();
  return format.has_members ? file + ":" + (place.member.empty() ? place.name : place.member)
                            : file;
}

const plan::SinkInfo& result_named(const std::string& name,
                                   const std::vector<plan::SinkInfo>& results) {
  std::vector<std::string> names;
  for (const plan::SinkInfo& result : results) {
    names.push_back(result.name);
  }
  TESSERA_USER_CHECK(!name.empty() || results.size() == 1,
                     "a file is given without the name of its result; the results are {}",
                     fmt::join(names, ", "));
  const auto found = name.empty() ? names.begin() : std::find(names.begin(), names.end(), name);
  const std::string suggestion = did_you_mean(name, names);
  TESSERA_USER_CHECK(found != names.end(), "there is no result {}; the program has {}{}", name,
                     fmt::join(names, ", "), suggestion.empty() ? "" : "; " + suggestion);
  return results[static_cast<size_t>(found - names.begin())];
}

}  // namespace

std::vector<ResultFile> bind_results(
    const std::vector<std::pair<std::string, std::string>>& bindings,
    const std::vector<plan::SinkInfo>& results) {
  std::vector<ResultFile> files;
  for (const auto& [name, path] : bindings) {
    const plan::SinkInfo& result = result_named(name, results);
    const auto before = std::find_if(files.begin(), files.end(), [&](const ResultFile& file) {
      return file.name == result.name;
    });
    TESSERA_USER_CHECK(before == files.end(), "{} goes to {} and to {}: a result goes to one file",
                       result.name, before->path, path);
    files.push_back({result.name, result.type, path});
  }
  return files;
}

ResultFiles::ResultFiles(const io::FormatRegistry& formats, std::vector<ResultFile> files,
                         net::Link* link)
    : files_(std::move(files)), link_(link) {
  std::map<std::string, std::string> taken;  // their results, by place
  for (const ResultFile& file : files_) {
    const io::Place place = formats.place_of(file.path, file.name);
    const io::Format& format = formats.for_path(place.path);
    TESSERA_USER_CHECK(format.create != nullptr, "{}: {} files are only read, not written",
                       place.path, format.name);
    const std::string binding = file.name + "=" + file.path;
    const auto [before, is_free] = taken.emplace(canonical_name(place, format), binding);
    TESSERA_USER_CHECK(is_free, "{} and {} name one place: each result needs its own",
                       before->second, binding);
    sinks_.push_back(sink_of(file, place, format));
  }
}

std::unique_ptr<store::TileSink> ResultFiles::sink_of(const ResultFile& file,
                                                      const io::Place& place,
                                                      const io::Format& format) const {
  if (link_ == nullptr) {
    return format.create(place, file.type);
  }
  const auto make = [&](io::Reach reach) {
    return format.share != nullptr
               ? format.share(place, file.type, reach)
               : io::share_by_copy(format.create(place, file.type), place.path, file.type, reach);
  };
  return common_file(*link_, place.path, file.type, make).sink;
}

std::map<std::string, store::TileSink*> ResultFiles::sinks() const {
  std::map<std::string, store::TileSink*> sinks;
  for (size_t number = 0; number < files_.size(); ++number) {
    sinks[files_[number].name] = sinks_[number].get();
  }
  return sinks;
}

void ResultFiles::commit(store::Durability durability) {
  commit_files(link_, sinks_, durability);
}

}  // namespace tessera::engine
