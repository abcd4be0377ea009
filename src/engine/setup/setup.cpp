#include "engine/setup/setup.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "kernels/cpu/blocked/generated_kernel.h"

namespace tessera::engine {

namespace {

/// Share of the machine's memory that a run may use by default.
constexpr double kDefaultMemoryShare = 0.8;

/// The most computing threads; no machine has more, and each has a stack and waits for the others.
constexpr int32_t kMostWorkers = 1024;

Budget budget_of(const Settings& settings, const Machine& machine) {
  TESSERA_USER_CHECK(settings.workers.value_or(1) <= kMostWorkers,
                     "{} workers: a run has at most {} workers", *settings.workers, kMostWorkers);
  const double share = kDefaultMemoryShare * static_cast<double>(machine.host().bytes);
  return {settings.memory_bytes.value_or(static_cast<int64_t>(share)),
          settings.workers.value_or(machine.threads)};
}

/// True if a kernel runs functions of whole arrays itself, which only one does.
bool is_for_whole_arrays(const kernels::Kernel& kernel) {
  return kernel.takes.whole && !kernel.takes.other_kernels;
}

/// Returns all kernels, or those that the settings ask for: the one that runs statements and, if it
/// runs one statement at a time, those that run several statements by it; and the one for whole
/// arrays.
kernels::Registry kernels_for(const Settings& settings, const kernels::Registry& all) {
  if (!settings.kernel) {
    return all;
  }
  const kernels::Kernel* wanted = all.find(*settings.kernel);
  std::string known;
  for (const kernels::Kernel& kernel : all.all()) {
    known += (known.empty() ? "" : ", ") + kernel.name;
  }
  TESSERA_USER_CHECK(wanted != nullptr, "there is no kernel {}; there are {}", *settings.kernel,
                     known);
  TESSERA_USER_CHECK(!wanted->takes.other_kernels,
                     "{} runs statements by other kernels: name one of those", wanted->name);
  kernels::Registry only;
  only.add(*wanted);
  for (const kernels::Kernel& kernel : all.all()) {
    const bool runs_several = kernel.takes.other_kernels && !wanted->takes.several_statements;
    if (runs_several || (is_for_whole_arrays(kernel) && kernel.name != wanted->name)) {
      only.add(kernel);
    }
  }
  return only;
}

/// Returns the machine that is planned for: with the instruction set and the threads that the
/// settings allow, and the rates of a core beside as many others as compute.
Machine machine_for(const Settings& settings, Machine machine) {
  machine.isa = std::min(machine.isa, settings.isa.value_or(machine.isa));
  machine.bf16 = machine.isa < Isa::avx512 ? Bf16Unit::none : machine.bf16;
  machine.threads = settings.workers.value_or(machine.threads);
  machine.rates = rates_beside(machine, machine.threads);
  return machine;
}

/// Makes each process a site, if there are several.
Settings with_sites_of(Settings settings, const net::Link* link) {
  if (link != nullptr) {
    TESSERA_USER_CHECK(
        settings.num_sites == 1 || settings.num_sites == link->num_processes(),
        "{} sites are asked for, but there are {} processes, each a site: leave the number out",
        settings.num_sites, link->num_processes());
    settings.num_sites = link->num_processes();
  }
  return settings;
}

}  // namespace

Setup::Setup(Settings settings, const kernels::Registry& kernels, Machine machine, net::Link* link)
    : settings_(with_sites_of(std::move(settings), link)),
      link_(link),
      machine_(machine_for(settings_, std::move(machine))),
      budget_(budget_of(settings_, machine_)),
      generator_({settings_.generating, settings_.code_directory.value_or(""),
                  link != nullptr || settings_.plans_for_others}),
      kernels_(kernels::with_generator(kernels_for(settings_, kernels), generator_)),
      context_(kernels::context_for(
          {functions_, aggregates_, kernels_, machine_, {}, settings_.precision},
          settings_.reproducible)) {
  expr::register_all_functions(functions_);
  expr::register_all_aggregates(aggregates_);
  optimizer::register_all_rules(rules_);
  optimizer::register_all_relation_rules(relation_rules_);
  optimizer::register_all_placement_rules(placement_rules_);
  optimizer::register_all_passes(passes_);
  optimizer::partition::register_all_planners(planners_);
  placement::register_all_planners(placement_planners_);
  io::register_all_formats(formats_);
  if (settings_.planner) {
    planner_names_ = engine::planner_names(*settings_.planner, planners_, placement_planners_);
  }
  optimizer::check_names(settings_.rules_off, names_of_rules());
  TESSERA_USER_CHECK(!settings_.reproducible || settings_.rules_off.count("stated_order") == 0,
                     "reproducible sums run in a stated order: leave stated_order on");
  TESSERA_USER_CHECK(!settings_.reproducible || settings_.precision == kernels::Precision::f32,
                     "reproducible sums have products of f32: leave out the precision {}",
                     kernels::name_of(settings_.precision));
}

std::unique_ptr<Setup> Setup::with_memory(int64_t bytes) const {
  Settings settings = settings_;
  settings.memory_bytes = bytes;
  return std::make_unique<Setup>(std::move(settings), kernels_, machine_, link_);
}

std::vector<std::string> Setup::placements() const {
  if (settings_.num_sites == 1) {
    return {};
  }
  if (planner_names_.places) {
    return {*planner_names_.places};
  }
  std::vector<std::string> names = {placement::kDefaultPlanner};
  for (const placement::Planner& planner : placement_planners_.all()) {
    if (!planner.is_baseline && planner.name != placement::kDefaultPlanner) {
      names.push_back(planner.name);
    }
  }
  return names;
}

Budget Setup::budget_of_each(size_t num_spaces) const {
  const bool is_asked = settings_.memory_bytes.has_value();
  const bool is_shared = !is_asked && link_ == nullptr;
  return {is_shared ? budget_.bytes / static_cast<int64_t>(num_spaces) : budget_.bytes,
          budget_.workers};
}

std::vector<std::string> Setup::names_of_rules() const {
  std::vector<std::string> names;
  for (const std::vector<std::string>& more :
       {rules_.names(), relation_rules_.names(), passes_.tra.names(), placement_rules_.names(),
        passes_.ia.names()}) {
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

}  // namespace tessera::engine
