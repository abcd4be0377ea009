#pragma once

#include <vector>

#include <simgrid/s4u.hpp>

namespace tessera::simulate {

struct Cluster;

namespace s4u = simgrid::s4u;

/// The machines of a cluster as SimGrid's.
struct Machines {
  double unit = 1;               // seconds per second of SimGrid's clock
  s4u::Host* control = nullptr;  // runs the actors and delays
  std::vector<s4u::Host*> hosts;
  std::vector<s4u::Disk*> disks;
  std::vector<s4u::Mailbox*> mailboxes;  // by site
};

/// Makes every site a host with its disk and its link to one switch; a second of SimGrid's clock
/// stands for `unit` seconds. REQUIRES an engine of SimGrid.
Machines make_machines(const Cluster& cluster, double unit);

}  // namespace tessera::simulate
