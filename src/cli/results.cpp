#include "cli/results.h"

#include "base/error.h"
#include "cli/print_tensor.h"
#include "cli/standard_streams.h"
#include "net/messages.h"

namespace tessera::cli {

namespace {

/// Returns a tensor for the printed part of a result, and no more. Errors: `user` if the result has
/// so many short modes that this is too much.
std::unique_ptr<store::EdgeTensor> kept_for_printing(const plan::SinkInfo& sink) {
  constexpr int64_t kMostPrinted = 1'000'000;  // elements: 16 MB at most
  const std::optional<int64_t> edge = shown_edge(sink.type.shape);
  const int64_t printed = num_elements(store::EdgeTensor::kept_shape(sink.type.shape, edge));
  TESSERA_USER_CHECK(
      printed <= kMostPrinted,
      "{} is a {}, of which {} elements would be printed: name a file for it with -o", sink.name,
      to_string(sink.type), printed);
  return std::make_unique<store::EdgeTensor>(sink.type, edge);
}

}  // namespace

Results::Results(const io::FormatRegistry& formats, const std::vector<plan::SinkInfo>& sinks,
                 const std::vector<std::pair<std::string, std::string>>& files, net::Link* link)
    : link_(link), files_(formats, engine::bind_results(files, sinks), link) {
  const std::map<std::string, store::TileSink*> in_files = files_.sinks();
  for (const plan::SinkInfo& sink : sinks) {
    if (!in_files.contains(sink.name)) {
      Printed& printed = printed_.emplace_back();
      printed.name = sink.name;
      printed.tensor = kept_for_printing(sink);
    }
  }
}

std::map<std::string, store::TileSink*> Results::sinks() const {
  std::map<std::string, store::TileSink*> sinks = files_.sinks();
  for (const Printed& printed : printed_) {
    sinks[printed.name] = printed.tensor.get();
  }
  return sinks;
}

void Results::commit(store::Durability durability) {
  files_.commit(durability);
  for (const Printed& printed : printed_) {
    if (link_ != nullptr) {
      store::EdgeTensor& tensor = *printed.tensor;
      const auto kept = net::gather(*link_, tensor.kept_bytes());
      for (size_t process = 1; process < kept.size(); ++process) {
        tensor.merge(kept[process]);
      }
    }
  }
}

void Results::report() const {
  for (const engine::ResultFile& file : files_.files()) {
    write_message(fmt::format("wrote {}: {}", file.path, to_string(file.type)));
  }
}

void Results::print() const {
  const bool is_alone = printed_.size() + files_.files().size() == 1;
  for (const auto& [name, tensor] : printed_) {
    const char* const gap = tensor->type().shape.size() > 1 ? "\n" : " ";
    write_output((is_alone ? "" : name + " =" + gap) + tensor_text(*tensor) + "\n");
  }
}

}  // namespace tessera::cli
