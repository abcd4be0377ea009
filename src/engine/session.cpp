#include "engine/session.h"

#include <utility>

#include <unistd.h>

#include "base/error.h"
#include "engine/pipeline.h"
#include "plan/interface.h"

namespace tessera::engine {

namespace {

/// Share of the machine's memory that a run may use by default.
constexpr double kDefaultMemoryShare = 0.8;

int64_t default_memory_bytes() {
  const double physical =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return static_cast<int64_t>(kDefaultMemoryShare * physical);
}

/// The registry with all kernels, or with the one that the settings ask for.
kernels::Registry kernels_for(const Settings& settings) {
  kernels::Registry all;
  kernels::register_all_kernels(all);
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
  kernels::Registry only;
  only.add(*wanted);
  return only;
}

void check_bound(const ArrayType* type, const std::string& name, const ArrayType& expected) {
  TESSERA_USER_CHECK(type != nullptr, "no file was given for the input {}, a {}: add {}=file", name,
                     to_string(expected), name);
  TESSERA_USER_CHECK(*type == expected, "the plan is for {} = {}, but the file holds {}", name,
                     to_string(expected), to_string(*type));
}

}  // namespace

Session::Session(Settings settings)
    : settings_(std::move(settings)), kernels_(kernels_for(settings_)) {
  expr::register_all_functions(functions_);
  expr::register_all_aggregates(aggregates_);
  optimizer::register_all_rules(rules_);
  io::register_all_formats(formats_);
}

Stages Session::plan(const Source& source, const frontend::Bindings& bindings) const {
  return plan_stages(source, bindings, *this);
}

runtime::RunReport Session::run(const Stages& stages,
                                std::map<std::string, const store::TileSource*> sources,
                                std::map<std::string, store::TileSink*> sinks,
                                const RunControl& control) const {
  if (!stages.tasks) {
    throw_error(ErrorKind::unsupported, "running on {} sites is not built yet; plan for one site",
                settings_.num_sites);
  }
  for (const auto& [name, type] : plan::sources_of(*stages.tasks)) {
    const auto source = sources.find(name);
    const std::optional<ArrayType> actual =
        source == sources.end() ? std::nullopt : std::optional(source->second->type());
    check_bound(actual ? &*actual : nullptr, name, type);
  }
  store::TileStore store(default_memory_bytes());
  return runtime::make_serial_executor()->run(
      *stages.tasks,
      {store, kernels_, std::move(sources), std::move(sinks), control.cancelled, control.listener});
}

}  // namespace tessera::engine
