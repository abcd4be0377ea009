#include "engine/calibration/rates_file.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/atomic_file.h"
#include "machine/rate_names.h"

namespace tessera::engine {

namespace {

using Json = nlohmann::json;

/// The version of the rates' meaning: it changes with any cost model whose predictions from
/// measured rates change.
constexpr int kVersion = 3;

/// The name of the one rate that is not a kernel's.
constexpr const char* kShared = "shared_bytes_per_second";

/// Returns the system's name of the processor; empty if it has none.
std::string processor_name() {
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);) {
    const size_t value = line.find(": ");
    if (line.rfind("model name", 0) == 0 && value != std::string::npos) {
      return line.substr(value + 2);
    }
  }
  return "";
}

/// Returns the identity of the machine that rates are for.
std::string identity_of(const Machine& machine) {
  return fmt::format("{}, {}", processor_name(), name_of(machine.isa));
}

std::string text_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Returns a member that is a rate; 0 if it is none.
double rate_member(const Json& object, const std::string& name) {
  const auto found = object.find(name);
  const double rate = found != object.end() && found->is_number() ? found->get<double>() : 0;
  return std::isfinite(rate) && rate > 0 ? rate : 0;
}

/// Takes the rates of a document. Returns false if something is missing or no rate.
bool take(const Json& document, Machine& machine) {
  const auto rates = document.find("rates");
  if (rates == document.end() || !rates->is_object()) {
    return false;
  }
  bool are_rates = true;
  for (const auto& [name, member] : kernel_rates()) {
    machine.rates.*member = rate_member(*rates, name);
    are_rates = are_rates && machine.rates.*member > 0;
  }
  machine.shared_bytes_per_second = rate_member(*rates, kShared);
  machine.rates_measured = text_member(document, "measured");
  return are_rates && machine.shared_bytes_per_second > 0 && !machine.rates_measured.empty();
}

}  // namespace

void write_rates(const std::string& path, const Machine& machine) {
  Json rates = {{kShared, machine.shared_bytes_per_second}};
  for (const auto& [name, member] : kernel_rates()) {
    rates[name] = machine.rates.*member;
  }
  const Json document = {{"version", kVersion},
                         {"machine", identity_of(machine)},
                         {"measured", machine.rates_measured},
                         {"rates", rates}};
  const std::string text = document.dump(1) + "\n";
  std::error_code ignored;  // creating the file then fails, with the reason
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  const auto bytes = static_cast<int64_t>(text.size());
  io::AtomicFile file(path, bytes);
  file.write_at(0, reinterpret_cast<const std::byte*>(text.data()), bytes);
  file.commit(store::Durability::process);
}

OrRefusal<Done> read_rates(const std::string& path, Machine& machine) {
  std::ifstream file(path);
  if (!file) {
    return Refusal{"it cannot be opened"};
  }
  const Json document = Json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) {
    return Refusal{"it is damaged"};
  }
  if (const auto version = document.find("version");
      version == document.end() || *version != kVersion) {
    return Refusal{"another version of tessera wrote it"};
  }
  if (const std::string of = text_member(document, "machine"); of != identity_of(machine)) {
    return Refusal{
        fmt::format("it is of another machine ({}; this is {})", of, identity_of(machine))};
  }
  Machine measured = machine;
  if (!take(document, measured)) {
    return Refusal{"it is damaged"};
  }
  machine = std::move(measured);
  return Done{};
}

}  // namespace tessera::engine
