// The library that only `simulate` loads: the one file that knows SimGrid.
//
// One actor for each site, on a host of its own beside the cluster, where waking one another takes
// no time. It starts what the playback says its site starts, and waits for what it started or a
// call. (Activities that no actor owns would all be in one list of SimGrid 3.32, which it walks for
// each that ends: 9,000 at once took 12 s where the actors take 4.)

#include <cmath>
#include <exception>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>
#include <xbt/log.h>

#include "simulate/cluster.h"
#include "simulate/playback.h"

namespace tessera::simulate {

namespace {

namespace s4u = simgrid::s4u;

/// SimGrid's defaults model TCP over a wide area network (latency times 13, windows of 4 MiB). Here
/// a move takes its latency and its bytes at its share of the links; what headers take is the
/// cluster's efficiency. Its faults come back as exceptions, so it need not print them too.
void set_up() {
  xbt_log_control_set("root.thres:critical");
  for (const char* const setting : {"network/model:CM02", "network/TCP-gamma:0",
                                    "network/crosstraffic:0", "contexts/stack-size:128"}) {
    s4u::Engine::set_config(setting);
  }
#ifdef __SANITIZE_ADDRESS__
  // An address sanitizer knows the stacks of threads only, and warns of those that SimGrid makes.
  s4u::Engine::set_config("contexts/factory:thread");
#endif
}

/// The machines of a cluster as SimGrid's.
struct Machines {
  s4u::Host* control = nullptr;  // where the actors are, and delays
  std::vector<s4u::Host*> hosts;
  std::vector<s4u::Disk*> disks;
  std::vector<s4u::Mailbox*> calls;  // of every site
};

constexpr double kNoBound = 1e18;  // cores or bytes a second

s4u::Host* make_host(s4u::NetZone* zone, const std::string& name, const ClusterSite& site) {
  // The amounts of work are seconds on a core of this site.
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
  machines.disks.push_back(host->create_disk("disk of " + name, site.disk_read_bytes_per_second,
                                             site.disk_written_bytes_per_second));
  machines.disks.back()->seal();
  host->seal();
  machines.hosts.push_back(host);
  machines.calls.push_back(s4u::Mailbox::by_name(name));
  // Half of the latency on either side of the switch.
  join(zone, host->get_netpoint(), "link of " + name, cluster.data_rate(number),
       cluster.network.latency_seconds / 2, nullptr);
}

void add_racks(s4u::NetZone* root, const Cluster& cluster, Machines& machines) {
  const auto per_rack = static_cast<size_t>(cluster.network.sites_per_rack);
  for (size_t first = 0; first < cluster.sites.size(); first += per_rack) {
    const std::string name = "rack " + std::to_string(first / per_rack);
    s4u::NetZone* const rack = s4u::create_star_zone(name)->set_parent(root);
    auto* const router = rack->create_router("switch of " + name);
    rack->add_route(router, nullptr, nullptr, nullptr, std::vector<s4u::LinkInRoute>{}, true);
    for (size_t site = first; site < std::min(first + per_rack, cluster.sites.size()); ++site) {
      add_site(rack, site, cluster, machines);
    }
    rack->seal();
    join(root, rack->get_netpoint(), "link of " + name,
         cluster.network.rack_bytes_per_second * cluster.network.efficiency, 0, router);
  }
}

Machines make_machines(const Cluster& cluster) {
  Machines machines;
  s4u::NetZone* const root = s4u::create_star_zone("cluster");
  machines.control = root->create_host("control", 1.0)->set_core_count(1 << 24);
  machines.control->seal();
  s4u::Link* const loop = root->create_link("calls", kNoBound)->set_latency(0);
  loop->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE)->seal();
  root->add_route(machines.control->get_netpoint(), machines.control->get_netpoint(), nullptr,
                  nullptr, {{loop, s4u::LinkInRoute::Direction::NONE}}, true);
  if (cluster.network.sites_per_rack > 0) {
    add_racks(root, cluster, machines);
  } else {
    for (size_t site = 0; site < cluster.sites.size(); ++site) {
      add_site(root, site, cluster, machines);
    }
  }
  root->seal();
  return machines;
}

/// What all actors share. SimGrid runs one actor at a time.
struct Stage {
  Machines machines;
  Playback& playback;
  int32_t call = 0;  // what a call carries: that it came is all it says

  void call_site(int32_t site) {
    machines.calls[static_cast<size_t>(site)]->put_init(&call, 0)->detach();
  }
  void call_all_but(int32_t caller) {
    for (size_t site = 0; site < machines.calls.size(); ++site) {
      if (static_cast<int32_t>(site) != caller) {
        call_site(static_cast<int32_t>(site));
      }
    }
  }
};

/// What one site has started, and the call that it waits for.
class SiteActor {
 public:
  SiteActor(Stage& stage, int32_t site) : stage_(stage), site_(site) {}

  void operator()() {
    listen();
    while (!stage_.playback.is_over()) {
      start_all();
      wait();
    }
    running_.front()->cancel();
  }

 private:
  void listen() {
    void** const place = &got_;
    s4u::CommPtr heard = stage_.machines.calls[static_cast<size_t>(site_)]->get_init();
    heard->set_dst_data(place, sizeof(void*));
    heard->start();
    if (running_.empty()) {
      running_.emplace_back();
      started_.emplace_back();
    }
    running_.front() = heard;
  }

  void start_all() {
    stage_.playback.take_starts(site_, starts_);
    for (const Start& start : starts_) {
      running_.push_back(begin(start, 0));
      started_.push_back({start, 0});
    }
  }

  void wait() {
    const auto first = static_cast<size_t>(s4u::Activity::wait_any(running_));
    if (first == 0) {
      listen();
      return;
    }
    Started& step = started_[first];
    if (++step.number < step.start.num_steps) {
      running_[first] = begin(step.start, step.number);
      return;
    }
    const int64_t activity = step.start.activity;
    running_[first] = running_.back();
    running_.pop_back();
    started_[first] = started_.back();
    started_.pop_back();
    stage_.playback.ended(activity, s4u::Engine::get_clock());
    call_others();
  }

  void call_others() {
    stage_.playback.take_called(called_);
    for (const int32_t site : called_) {
      if (site != site_) {
        stage_.call_site(site);
      }
    }
    if (stage_.playback.is_over()) {
      stage_.call_all_but(site_);
    }
  }

  s4u::ActivityPtr begin(const Start& start, int32_t number) {
    const Step& step = start.steps[static_cast<size_t>(number)];
    const auto site = static_cast<size_t>(step.site);
    switch (step.resource) {
      case Resource::core:
        return seconds_on(stage_.machines.hosts[site], step.amount);
      case Resource::delay:
        return seconds_on(stage_.machines.control, step.amount);
      case Resource::link:
        return s4u::Comm::sendto_async(stage_.machines.hosts[site],
                                       stage_.machines.hosts[static_cast<size_t>(start.to)],
                                       static_cast<uint64_t>(std::llround(step.amount)));
      case Resource::disk_read:
        return stage_.machines.disks[site]->read_async(std::llround(step.amount));
      case Resource::disk_write:
        return stage_.machines.disks[site]->write_async(std::llround(step.amount));
    }
    return nullptr;
  }

  static s4u::ActivityPtr seconds_on(s4u::Host* host, double seconds) {
    s4u::ExecPtr work = s4u::Exec::init();
    work->set_flops_amount(seconds);
    work->set_host(host);
    work->start();
    return work;
  }

  struct Started {
    Start start;
    int32_t number = 0;  // of its step
  };

  Stage& stage_;
  int32_t site_;
  std::vector<s4u::ActivityPtr> running_;  // the call first
  std::vector<Started> started_;           // beside it
  std::vector<Start> starts_;
  std::vector<int32_t> called_;  // its own: while it calls one, other actors go on
  void* got_ = nullptr;
};

void play(const Cluster& cluster, Playback& playback) {
  std::string name = "tessera";
  std::vector<char*> arguments = {name.data(), nullptr};
  int num_arguments = 1;
  s4u::Engine engine(&num_arguments, arguments.data());
  set_up();
  Stage stage{make_machines(cluster), playback};
  for (int32_t site = 0; site < static_cast<int32_t>(cluster.sites.size()); ++site) {
    s4u::Actor::create("s" + std::to_string(site), stage.machines.control, SiteActor(stage, site));
  }
  engine.run();
}

}  // namespace

}  // namespace tessera::simulate

extern "C" void tessera_play(const tessera::simulate::Cluster& cluster,
                             tessera::simulate::Playback& playback) {
  try {
    tessera::simulate::play(cluster, playback);
  } catch (const std::exception& error) {
    playback.failed(error.what());
  }
}
