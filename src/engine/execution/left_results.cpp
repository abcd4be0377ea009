#include "engine/execution/left_results.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/temporary_file.h"
#include "engine/setup/common_file.h"
#include "io/shared_sink.h"
#include "io/unnamed_array.h"
#include "net/messages.h"

namespace tessera::engine {

namespace {

/// The name that a file would have if it were ever complete.
constexpr const char* kFileOfLeft = "tessera-left.npy";

/// Runs an action on an internal file. If it is full, the error names its directory, which is all
/// that the user knows of it.
template <class Action>
auto in_directory(const std::string& directory, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::resource) {
      throw;
    }
    throw Error(error.kind(), fmt::format("what parts of the plan leave for each other does not "
                                          "go into {}: {}",
                                          directory, error.message()))
        .suggest({Setting::spill_directory, ""});
  }
}

class LeftSink : public store::TileSink {
 public:
  LeftSink(std::shared_ptr<store::TileSink> file, std::string directory)
      : file_(std::move(file)), directory_(std::move(directory)) {}

  void write(const TileView& from) override {
    in_directory(directory_, [&] { file_->write(from); });
  }
  void commit(store::Durability durability) override {
    in_directory(directory_, [&] { file_->commit(durability); });
  }

 private:
  std::shared_ptr<store::TileSink> file_;
  std::string directory_;
};

}  // namespace

LeftResults::LeftResults(const Setup& setup)
    : setup_(setup), directory_(setup.settings().spill_directory.value_or(temporary_directory())) {}

const store::TileSource* LeftResults::at(const std::string& name) const {
  const auto left = sources_.find(name);
  TESSERA_USER_CHECK(left != sources_.end(), "a round reads {}, which none before it left", name);
  return left->second;
}

LeftResults::LeftResult LeftResults::opened(const ArrayType& type) const {
  auto array = std::make_shared<io::UnnamedArray>(directory_, type);
  return {type, "", std::make_shared<LeftSink>(array, directory_), array};
}

LeftResults::LeftResult LeftResults::opened_by_all(const ArrayType& type) const {
  net::Link& link = *setup_.link();
  const auto make = [&](io::Reach reach) {
    const io::Place place(directory_ + "/" + kFileOfLeft);
    return setup_.formats().for_path(place.path).share(place, type, reach);
  };
  try {
    CommonFile file = common_file(link, directory_ + "/" + kFileOfLeft, type, make);
    return {type, std::move(file.meeting_place),
            std::make_shared<LeftSink>(std::move(file.sink), directory_), nullptr};
  } catch (const Error& error) {
    if (link.process() == 0 || error.kind() != ErrorKind::user) {
      throw;
    }
    throw Error(ErrorKind::unsupported,
                fmt::format("the plan runs in frames, which leave results for each other in {}, "
                            "and not every host sees that directory of the first one: {}",
                            directory_, error.message()))
        .suggest({Setting::spill_directory, ""});
  }
}

Sinks LeftResults::open(const std::vector<std::string>& leaves,
                        const std::vector<plan::SinkInfo>& results) {
  Sinks sinks;
  for (const std::string& name : leaves) {
    const auto result = std::find_if(results.begin(), results.end(),
                                     [&](const plan::SinkInfo& info) { return info.name == name; });
    TESSERA_USER_CHECK(result != results.end(),
                       "a round is to leave {}, which is none of its results", name);
    LeftResult& left = written_[name];
    left = in_directory(directory_, [&] {
      return setup_.link() == nullptr ? opened(result->type) : opened_by_all(result->type);
    });
    sinks[name] = left.sink.get();
  }
  return sinks;
}

/// Completes a result. The first process never commits the file, so that it goes with the sink; the
/// others close it, so that their parts are visible on any filesystem.
void LeftResults::complete(LeftResult& left) const {
  if (setup_.link() == nullptr || setup_.link()->process() != 0) {
    left.sink->commit(store::Durability::process);
    left.sink.reset();
  }
}

void LeftResults::commit() {
  for (auto& [name, left] : written_) {
    complete(left);
  }
  if (setup_.link() != nullptr && !written_.empty()) {
    net::barrier(*setup_.link());
  }
  for (auto& [name, left] : written_) {
    if (left.source == nullptr) {
      const io::Format& npy = setup_.formats().for_path(kFileOfLeft);
      left.source = npy.open(io::Place(left.meeting_place), left.type.dtype);
    }
    sources_[name] = left.source.get();
    left_[name] = std::move(left);
  }
  written_.clear();
}

void LeftResults::keep_only(const std::set<std::string>& names) {
  std::erase_if(sources_, [&](const auto& left) { return !names.contains(left.first); });
  std::erase_if(left_, [&](const auto& left) { return !names.contains(left.first); });
}

}  // namespace tessera::engine
