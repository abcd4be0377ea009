#include <charconv>
#include <optional>
#include <string_view>

#include "base/byte_size.h"
#include "base/diagnostic.h"
#include "simulate/cluster.h"
#include "simulate/quantity.h"

namespace tessera::simulate {

namespace {

constexpr const char* kExample = "10x8c,10Gbps,64GiB describes ten sites of eight cores each";

/// A part between commas, with its place.
struct Item {
  std::string_view text;
  SourceSpan period;
};

std::vector<Item> items_of(std::string_view text) {
  std::vector<Item> items;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find(',', begin), text.size());
    items.push_back({text.substr(begin, end - begin),
                     {static_cast<int64_t>(begin), static_cast<int64_t>(end)}});
    begin = end + 1;
  }
  return items;
}

/// Takes a whole number from 1 on from the front of a text.
std::optional<int64_t> take_count(std::string_view& text) {
  int64_t count = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || count < 1) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<size_t>(rest - text.data()));
  return count;
}

struct Sizes {
  int64_t sites = 0;
  int64_t cores = 0;
};

/// Reads `10x8c`.
std::optional<Sizes> parse_sizes(std::string_view text) {
  Sizes sizes;
  const std::optional<int64_t> sites = take_count(text);
  if (!sites || text.empty() || text.front() != 'x') {
    return std::nullopt;
  }
  text.remove_prefix(1);
  const std::optional<int64_t> cores = take_count(text);
  if (!cores || text != "c" || *cores > INT32_MAX) {
    return std::nullopt;
  }
  return Sizes{*sites, *cores};
}

/// Reads the items of one description into the value that all its sites have.
class ClusterTextReader {
 public:
  explicit ClusterTextReader(const SourceText& source) : diagnostics_(source) {}

  Cluster read() {
    const std::vector<Item> items = items_of(diagnostics_.source().text);
    const std::optional<Sizes> sizes = parse_sizes(items.front().text);
    if (!sizes || sizes->sites > kMostClusterSites) {
      add(items.front(),
          !sizes ? fmt::format("'{}' does not say how many sites there are, of how many cores",
                               items.front().text)
                 : fmt::format("{} sites: a cluster has at most {} sites", sizes->sites,
                               kMostClusterSites));
    }
    for (size_t number = 1; number < items.size(); ++number) {
      read_quantity(items[number]);
    }
    if (!diagnostics_.empty()) {
      throw Error(diagnostics_);
    }
    site_.cores = static_cast<int32_t>(sizes->cores);
    cluster_.sites.assign(static_cast<size_t>(sizes->sites), site_);
    return std::move(cluster_);
  }

 private:
  void add(const Item& item, std::string message) {
    diagnostics_.add({ErrorKind::user, item.period, std::move(message), kExample, {}});
  }

  void read_quantity(const Item& item) {
    const std::optional<Quantity> quantity = parse_quantity(item.text);
    if (!quantity) {
      add(item, fmt::format("'{}' is neither a rate (10Gbps), nor an amount of memory (64GiB), a "
                            "latency (50us) or a core's speed (55Gflops)",
                            item.text));
      return;
    }
    const auto number = static_cast<size_t>(quantity->measure);
    if (is_given_[number]) {
      add(item, fmt::format("'{}' says again what stands before it", item.text));
      return;
    }
    is_given_[number] = true;
    if (const std::optional<std::string_view> range = range_missed_by(*quantity)) {
      add(item, fmt::format("'{}': it must be {}", item.text, *range));
      return;
    }
    set(*quantity);
  }

  void set(const Quantity& quantity) {
    switch (quantity.measure) {
      case Measure::bytes_per_second:
        site_.link_bytes_per_second = quantity.value;
        break;
      case Measure::bytes:
        site_.memory_bytes = static_cast<int64_t>(quantity.value);
        break;
      case Measure::seconds:
        cluster_.network.latency_seconds = quantity.value;
        break;
      case Measure::flops_per_second:
        site_.speed = quantity.value / cluster_.kernels.gemm_flops_per_second_f32;
        break;
    }
  }

  Diagnostics diagnostics_;
  Cluster cluster_;
  ClusterSite site_;
  bool is_given_[4] = {};
};

}  // namespace

Cluster parse_cluster_text(const SourceText& text) {
  return ClusterTextReader(text).read();
}

}  // namespace tessera::simulate
