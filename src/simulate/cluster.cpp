#include "simulate/cluster.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/byte_order_mark.h"
#include "base/byte_size.h"
#include "base/error.h"

namespace tessera::simulate {

namespace {

/// True for the name of a file. A rate has a slash too: "1GB/s".
bool is_file_name(const std::string& description) {
  const auto is_of_rate = [&](size_t slash) {
    return slash > 0 && description[slash - 1] == 'B' && description.compare(slash, 2, "/s") == 0;
  };
  for (size_t at = 0; at < description.size(); ++at) {
    if (description[at] == '/' && !is_of_rate(at)) {
      return true;
    }
  }
  return description.ends_with(".toml");
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw_error(ErrorKind::resource, "the cluster's description {} cannot be read", path);
  }
  std::ostringstream text;
  text << file.rdbuf();
  return without_byte_order_mark(std::move(text).str());
}

/// Returns the slowest rate of the links of sites.
double slowest_data_rate(const Cluster& cluster) {
  double rate = cluster.data_rate(0);
  for (size_t site = 0; site < cluster.sites.size(); ++site) {
    rate = std::min(rate, cluster.data_rate(site));
  }
  return rate;
}

}  // namespace

int64_t Cluster::num_cores() const {
  int64_t cores = 0;
  for (const ClusterSite& site : sites) {
    cores += site.cores;
  }
  return cores;
}

Cluster load_cluster(const std::string& description) {
  if (is_file_name(description)) {
    return parse_cluster_toml({description, contents_of(description)});
  }
  return parse_cluster_text({"<cluster>", description});
}

int64_t smallest_memory(const Cluster& cluster) {
  int64_t bytes = cluster.sites.front().memory_bytes;
  for (const ClusterSite& site : cluster.sites) {
    bytes = std::min(bytes, site.memory_bytes);
  }
  return bytes;
}

int32_t fewest_cores(const Cluster& cluster) {
  int32_t cores = cluster.sites.front().cores;
  for (const ClusterSite& site : cluster.sites) {
    cores = std::min(cores, site.cores);
  }
  return cores;
}

Machine machine_of(const Cluster& cluster) {
  Machine machine;
  // The rates assume it, and a plan must not depend on the machine that makes it.
  machine.isa = Isa::avx512;
  machine.threads = fewest_cores(cluster);
  machine.rates = cluster.kernels;
  machine.files = cluster.files;
  machine.spaces.front().bytes = smallest_memory(cluster);
  machine.links.network = {slowest_data_rate(cluster), cluster.network.latency_seconds};
  return machine;
}

std::string to_string(const Cluster& cluster) {
  const ClusterSite& first = cluster.sites.front();
  const std::string sites =
      fmt::format("{} {}", cluster.num_sites(), cluster.num_sites() == 1 ? "site" : "sites");
  const bool are_equal = std::all_of(cluster.sites.begin(), cluster.sites.end(),
                                     [&](const ClusterSite& site) { return site == first; });
  if (!are_equal) {
    return fmt::format("{} that differ, {} cores in all", sites, cluster.num_cores());
  }
  return fmt::format("{} of {} {} and {}, links of {:.3g} Gbit/s", sites, first.cores,
                     first.cores == 1 ? "core" : "cores", byte_size_text(first.memory_bytes),
                     first.link_bytes_per_second * 8 / 1e9);
}

}  // namespace tessera::simulate
