#include "simulate/simgrid/machines.h"

#include <string>

#include "simulate/cluster.h"

namespace tessera::simulate {

namespace {

constexpr double kNoBound = 1e18;  // cores or bytes a second

s4u::Host* make_host(s4u::NetZone* zone, const std::string& name, const ClusterSite& site) {
  // Amounts of work are seconds on a core of this site.
  s4u::Host* const host = zone->create_host(name, 1.0);
  return host->set_core_count(site.cores);
}

void join(s4u::NetZone* zone, simgrid::kernel::routing::NetPoint* point, const std::string& name,
          double bytes_per_second, double latency, simgrid::kernel::routing::NetPoint* gateway) {
  s4u::Link* const link = zone->create_split_duplex_link(name, bytes_per_second);
  link->set_latency(latency)->seal();
  zone->add_route(point, nullptr, gateway, nullptr, {{link, s4u::LinkInRoute::Direction::UP}},
                  true);
}

void add_site(s4u::NetZone* zone, size_t number, const Cluster& cluster, Machines& machines) {
  const std::string name = "s" + std::to_string(number);
  const ClusterSite& site = cluster.sites[number];
  s4u::Host* const host = make_host(zone, name, site);
  machines.disks.push_back(host->create_disk("disk of " + name,
                                             site.disk_read_bytes_per_second * machines.unit,
                                             site.disk_written_bytes_per_second * machines.unit));
  machines.disks.back()->seal();
  host->seal();
  machines.hosts.push_back(host);
  machines.mailboxes.push_back(s4u::Mailbox::by_name(name));
  // Half of the latency on either side of the switch.
  join(zone, host->get_netpoint(), "link of " + name, cluster.data_rate(number) * machines.unit,
       cluster.network.latency_seconds / 2 / machines.unit, nullptr);
}

}  // namespace

Machines make_machines(const Cluster& cluster, double unit) {
  Machines machines;
  machines.unit = unit;
  s4u::NetZone* const root = s4u::create_star_zone("cluster");
  machines.control = root->create_host("control", 1.0)->set_core_count(1 << 24);
  machines.control->seal();
  s4u::Link* const loop = root->create_link("calls", kNoBound)->set_latency(0);
  loop->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE)->seal();
  root->add_route(machines.control->get_netpoint(), machines.control->get_netpoint(), nullptr,
                  nullptr, {{loop, s4u::LinkInRoute::Direction::NONE}}, true);
  for (size_t site = 0; site < cluster.sites.size(); ++site) {
    add_site(root, site, cluster, machines);
  }
  root->seal();
  return machines;
}

}  // namespace tessera::simulate
