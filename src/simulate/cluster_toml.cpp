#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

// The only file that includes it: it has thousands of lines.
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "base/diagnostic.h"
#include "base/suggest.h"
#include "machine/rate_names.h"
#include "simulate/cluster.h"
#include "simulate/quantity.h"

namespace tessera::simulate {

namespace {

/// The least number without a unit: a speed, a share, a rate of a kernel.
constexpr double kLeastNumber = 1e-12;
constexpr double kMostNumber = 1e18;

/// Returns an example of a measure.
std::string_view example_of(Measure measure) {
  switch (measure) {
    case Measure::bytes_per_second:
      return "\"10Gbps\" or \"1GB/s\"";
    case Measure::bytes:
      return "\"64GiB\"";
    case Measure::seconds:
      return "\"50us\"";
    case Measure::flops_per_second:
      return "\"55Gflops\"";
  }
  return "";
}

/// The keys of a table of a cluster other than [kernels], and the words for a key in it.
struct Table {
  std::string_view place;
  std::vector<std::string> keys;
};

const Table& cluster_keys() {
  static const Table table = {"before the first table of the file",
                              {"sites", "network", "files", "kernels"}};
  return table;
}

const Table& network_keys() {
  static const Table table = {
      "under [network]", {"latency", "efficiency", "moves_at_once", "sites_per_rack", "rack_link"}};
  return table;
}

const Table& site_keys() {
  static const Table table = {"under [[sites]]",
                              {"count", "cores", "speed", "memory", "link", "link_per_core",
                               "move_overhead", "disk_read", "disk_write"}};
  return table;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns the table that has a key, if one has.
const Table* table_with(const std::string& key) {
  for (const Table* table : {&cluster_keys(), &network_keys(), &site_keys()}) {
    if (has(table->keys, key)) {
      return table;
    }
  }
  return nullptr;
}

/// Removes the carriage returns of line breaks, which the library would report as unexpected
/// characters. Lines and columns stay the same.
std::string without_carriage_returns(const std::string& text) {
  std::string result;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\r' || text.substr(at, 2) != "\r\n") {
      result += text[at];
    }
  }
  return result;
}

/// Removes "value: could not determine value type" from the library's message.
std::string_view without_preamble(std::string_view fault) {
  constexpr std::string_view kPreamble = "Error while parsing ";
  return fault.starts_with(kPreamble) ? fault.substr(kPreamble.size()) : fault;
}

class ClusterTomlReader {
 public:
  explicit ClusterTomlReader(const SourceText& source) : source_(source), diagnostics_(source) {}

  Cluster read() {
    const toml::table table = parsed();
    check_keys(table, cluster_keys());
    if (const toml::table* kernels = section(table, "kernels")) {
      read_rates(*kernels, kernel_rates(), "kernel", cluster_.kernels);
    }
    if (const toml::table* network = section(table, "network")) {
      read_network(*network);
    }
    read_files(table);
    read_sites(table);
    if (!diagnostics_.empty()) {
      throw Error(diagnostics_);
    }
    return std::move(cluster_);
  }

 private:
  toml::table parsed() {
    try {
      return toml::parse(without_carriage_returns(source_.text));
    } catch (const toml::parse_error& error) {
      add(error.source(), fmt::format("this is no TOML: {}", without_preamble(error.description())),
          "");
      throw Error(diagnostics_);
    }
  }

  SourceSpan span_of_region(const toml::source_region& region) const {
    const auto place = [&](const toml::source_position& at) {
      return span_of(source_, {source_.name, {at.line, at.column}, 1}).begin;
    };
    const bool is_on_one_line = region.end.line == region.begin.line;
    const int64_t length =
        is_on_one_line && region.end.column > region.begin.column
            ? static_cast<int64_t>(region.end.column) - static_cast<int64_t>(region.begin.column)
            : 1;
    const int64_t begin = place(region.begin);
    return {begin, begin + length};
  }

  void add(const toml::source_region& region, std::string message, std::string help) {
    diagnostics_.add(
        {ErrorKind::user, span_of_region(region), std::move(message), std::move(help), {}});
  }

  void check_keys(const toml::table& table, const Table& known) {
    for (const auto& [key, value] : table) {
      const std::string name(key.str());
      if (has(known.keys, name)) {
        continue;
      }
      if (const Table* other = table_with(name)) {
        add(key.source(), fmt::format("{} does not stand {}", name, known.place),
            fmt::format("it stands {}", other->place));
      } else {
        const std::string close = did_you_mean(name, known.keys);
        add(key.source(), fmt::format("nothing of a cluster is called {}", name),
            close.empty() ? fmt::format("there are {}", fmt::join(known.keys, ", ")) : close);
      }
    }
  }

  const toml::table* section(const toml::table& table, std::string_view name) {
    const toml::node* node = table.get(name);
    if (node != nullptr && !node->is_table()) {
      add(node->source(), fmt::format("{} is a table", name), fmt::format("[{}]", name));
      return nullptr;
    }
    return node == nullptr ? nullptr : node->as_table();
  }

  /// Reads a number with a unit, in a string. The member keeps its value if the key is missing.
  void read_quantity(const toml::table& table, std::string_view key, Measure measure,
                     double& member) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return;
    }
    const std::optional<std::string> text = node->value_exact<std::string>();
    const std::optional<Quantity> quantity = text ? parse_quantity(*text) : std::nullopt;
    if (!quantity || quantity->measure != measure) {
      add(node->source(), fmt::format("{} is an amount with its unit, in quotes", key),
          fmt::format("for example {}", example_of(measure)));
    } else if (const std::optional<std::string_view> range = range_missed_by(*quantity)) {
      add(node->source(), fmt::format("{} must be {}", key, *range), "");
    } else {
      member = quantity->value;
    }
  }

  void read_number(const toml::table& table, std::string_view key, double& member) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return;
    }
    const std::optional<double> number = node->value<double>();
    if (!number || !(*number >= kLeastNumber && *number <= kMostNumber)) {
      add(node->source(),
          fmt::format("{} is a number from {:g} to {:g}", key, kLeastNumber, kMostNumber), "");
    } else {
      member = *number;
    }
  }

  template <class Integer>
  void read_count(const toml::table& table, std::string_view key, Integer most, Integer& member) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return;
    }
    const std::optional<int64_t> count = node->value_exact<int64_t>();
    if (!count || *count < 1 || *count > static_cast<int64_t>(most)) {
      add(node->source(), fmt::format("{} is a whole number from 1 to {}", key, most), "");
    } else {
      member = static_cast<Integer>(*count);
    }
  }

  /// Reads a table of rates of one kind, by their names, among keys that are read elsewhere.
  template <class Rates>
  void read_rates(const toml::table& table, const RateNames<Rates>& names, std::string_view kind,
                  Rates& rates, const std::vector<std::string>& others = {}) {
    for (const auto& [key, value] : table) {
      const std::string name(key.str());
      const auto found = names.find(name);
      if (has(others, name)) {
        continue;
      }
      if (found == names.end()) {
        std::vector<std::string> known = others;
        for (const auto& [rate, member] : names) {
          known.push_back(rate);
        }
        const std::string close = did_you_mean(name, known);
        add(key.source(), fmt::format("no rate of a {} is called {}", kind, name),
            close.empty() ? fmt::format("there are {}", fmt::join(known, ", ")) : close);
      } else {
        read_number(table, found->first, rates.*found->second);
      }
    }
  }

  void read_network(const toml::table& table) {
    check_keys(table, network_keys());
    ClusterNetwork& network = cluster_.network;
    read_quantity(table, "latency", Measure::seconds, network.latency_seconds);
    read_number(table, "efficiency", network.efficiency);
    if (network.efficiency > 1) {
      add(table.get("efficiency")->source(), "efficiency is a share of a link's bits: at most 1",
          "");
    }
    read_count(table, "moves_at_once", int32_t{1024}, network.moves_at_once);
    read_count(table, "sites_per_rack", kMostClusterSites, network.sites_per_rack);
    read_quantity(table, "rack_link", Measure::bytes_per_second, network.rack_bytes_per_second);
    if (table.contains("sites_per_rack") != table.contains("rack_link")) {
      add(table.source(), "racks need sites_per_rack and rack_link",
          "give both, or none for one switch");
    }
  }

  /// Reads where files are: one word for all, or a table of places for inputs and results, and of
  /// rates.
  void read_files(const toml::table& table) {
    const toml::node* node = table.get("files");
    if (node == nullptr) {
      return;
    }
    if (!node->is_table()) {
      cluster_.has_inputs_in_memory = cluster_.has_results_in_memory = is_in_memory(*node, "files");
      return;
    }
    const toml::table& table_of_files = *node->as_table();
    for (const auto& [key, flag] : {std::pair{"inputs", &cluster_.has_inputs_in_memory},
                                    std::pair{"results", &cluster_.has_results_in_memory}}) {
      if (const toml::node* where = table_of_files.get(key)) {
        *flag = is_in_memory(*where, key);
      }
    }
    read_rates(table_of_files, file_rates(), "file", cluster_.files, {"inputs", "results"});
  }

  bool is_in_memory(const toml::node& node, std::string_view what) {
    const std::optional<std::string> where = node.value_exact<std::string>();
    if (!where || (*where != "memory" && *where != "disk")) {
      add(node.source(),
          fmt::format("{} says where {} are", what, what == "files" ? "inputs and results" : what),
          "\"disk\", or \"memory\" where reading and writing them takes no time");
      return false;
    }
    return *where == "memory";
  }

  void read_sites(const toml::table& table) {
    const toml::node* node = table.get("sites");
    const toml::array* groups = node == nullptr ? nullptr : node->as_array();
    if (groups == nullptr || groups->empty() || !groups->is_homogeneous(toml::node_type::table)) {
      add(node == nullptr ? table.source() : node->source(),
          "a cluster has sites, in groups of equal ones", "[[sites]], then count = 10, cores = 8");
      return;
    }
    for (const toml::node& group : *groups) {
      read_group(*group.as_table());
    }
  }

  void read_group(const toml::table& table) {
    check_keys(table, site_keys());
    int64_t count = 1;
    ClusterSite site;
    double memory = static_cast<double>(site.memory_bytes);
    read_count(table, "count", kMostClusterSites, count);
    read_count(table, "cores", int32_t{65'536}, site.cores);
    read_number(table, "speed", site.speed);
    read_quantity(table, "memory", Measure::bytes, memory);
    read_quantity(table, "link", Measure::bytes_per_second, site.link_bytes_per_second);
    read_quantity(table, "link_per_core", Measure::bytes_per_second,
                  site.core_link_bytes_per_second);
    read_quantity(table, "move_overhead", Measure::seconds, site.move_overhead_seconds);
    read_quantity(table, "disk_read", Measure::bytes_per_second, site.disk_read_bytes_per_second);
    read_quantity(table, "disk_write", Measure::bytes_per_second,
                  site.disk_written_bytes_per_second);
    site.memory_bytes = static_cast<int64_t>(memory);
    if (cluster_.num_sites() + count > kMostClusterSites) {
      add(table.source(), fmt::format("a cluster has at most {} sites", kMostClusterSites), "");
      return;
    }
    cluster_.sites.insert(cluster_.sites.end(), static_cast<size_t>(count), site);
  }

  const SourceText& source_;
  Diagnostics diagnostics_;
  Cluster cluster_;
};

}  // namespace

Cluster parse_cluster_toml(const SourceText& text) {
  return ClusterTomlReader(text).read();
}

}  // namespace tessera::simulate
