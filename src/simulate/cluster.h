#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "machine/machine.h"

namespace tessera::simulate {

/// One site of a cluster. Rates are in bytes a second.
struct ClusterSite {
  int32_t cores = 1;
  double speed = 1;  // of a core, relative to the core of the rates in `kernels`
  int64_t memory_bytes = int64_t{64} << 30;
  double link_bytes_per_second = 1.25e9;  // into and out of it, each
  /// Bytes a second that one core sends, or receives, copying them through sockets. Measured:
  /// bench/figures/distributed.md.
  double core_link_bytes_per_second = 3e9;
  /// Seconds of a core for each move, at either end: the overhead of LogP (Culler et al., PPoPP
  /// 1993). Measured: bench/figures/distributed.md.
  double move_overhead_seconds = 20e-6;
  double disk_read_bytes_per_second = 1.7e9;
  double disk_written_bytes_per_second = 1.7e9;
  friend bool operator==(const ClusterSite&, const ClusterSite&) = default;
};

/// The network between the sites: one switch, or racks of sites with a switch each, under one
/// switch.
struct ClusterNetwork {
  double latency_seconds = 50e-6;  // from site to site
  /// The share of a link's bits that are data; for TCP over Ethernet, 1448 of every 1538 bytes.
  double efficiency = 1448.0 / 1538.0;
  int32_t moves_at_once = 2;         // that a site sends, and that it receives
  int64_t sites_per_rack = 0;        // 0: one switch for all
  double rack_bytes_per_second = 0;  // of a rack's link, into and out of it, each
  friend bool operator==(const ClusterNetwork&, const ClusterNetwork&) = default;
};

/// A cluster that need not exist, as a value: `simulate` reads nothing else about machines.
struct Cluster {
  std::vector<ClusterSite> sites;
  ClusterNetwork network;
  bool has_inputs_in_memory = false;       // reading them takes no time
  bool has_results_in_memory = false;      // they stay there: writing them takes no time
  KernelRates kernels = built_in_rates();  // of a core of speed 1
  FileCosts files;                         // of a site's cores, without disks

  int64_t num_sites() const { return static_cast<int64_t>(sites.size()); }
  int64_t num_cores() const;
  /// Returns the data rate of a site's link.
  double data_rate(size_t site) const {
    return sites[site].link_bytes_per_second * network.efficiency;
  }
  bool has_racks() const { return network.sites_per_rack > 0; }
  // REQUIRE racks.
  double rack_data_rate() const { return network.rack_bytes_per_second * network.efficiency; }
  size_t rack_of(int32_t site) const { return static_cast<size_t>(site / network.sites_per_rack); }
  size_t num_racks() const { return rack_of(static_cast<int32_t>(num_sites()) - 1) + 1; }
};

constexpr int64_t kMostClusterSites = 65'536;

/// Reads `10x8c,10Gbps,64GiB`: the number of sites and of cores each, and in any order the rate of
/// their links (10Gbps, 1GB/s), their memory, the latency (50us) and the speed of a core at f32
/// products (55Gflops). Errors: `user`, with the place in the text.
Cluster parse_cluster_text(const SourceText& text);

/// Reads a description in TOML (doc/simulate.md). Errors: `user`, with line and caret.
Cluster parse_cluster_toml(const SourceText& text);

/// Reads a description in words, or the file of that name if there is one. Errors: those of the two
/// above; `resource` if the file cannot be read.
Cluster load_cluster(const std::string& description);

/// Returns the machine that a plan for the cluster is made for: the smallest site's.
Machine machine_of(const Cluster& cluster);

/// Returns the smallest memory of its sites, and below the fewest cores.
int64_t smallest_memory(const Cluster& cluster);
int32_t fewest_cores(const Cluster& cluster);

/// Formats a cluster: "10 sites of 8 cores and 64 GiB, 10 Gbit/s links"; "10 sites, 80 cores" if
/// they differ.
std::string to_string(const Cluster& cluster);

}  // namespace tessera::simulate
