#include "kernels/generated/generator.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace tessera::kernels::generated {

namespace {

/// Measured on an EPYC (Zen 4), 2026-11: the library opened 26e-3, its first code 9e-3, further
/// code 3e-3 to 12e-3 for 2 to 64 operations.
constexpr double kPluginSeconds = 35e-3;
constexpr double kFormulaSeconds = 3e-3;
constexpr double kOperationSeconds = 0.15e-3;

/// The least loss that is worth a file.
constexpr double kLeastLost = 0.2e-3;
constexpr const char* kLost = "-lost";

/// Returns the name of code, in memory and on disk: another version or instruction set has another
/// name.
std::string name_for(const Formula& formula, Isa isa) {
  return fmt::format("{}-{}-{}", formula.digest(), name_of(isa), kInterfaceVersion);
}

/// Counts the copies of every operation in code: if it merges, one for each register of lanes, and
/// one for the rest.
double num_copies(const Formula& formula) {
  const auto result = static_cast<int32_t>(formula.steps().size()) - 1;
  return formula.merge() == Operation::argument
             ? 1
             : 1 + static_cast<double>(size_of(formula.type_of(result)));
}

double making_seconds(const Formula& formula) {
  return kPluginSeconds + kFormulaSeconds +
         kOperationSeconds * num_copies(formula) * static_cast<double>(formula.num_operations());
}

}  // namespace

Generator::Generator(GeneratorSettings settings) : settings_(std::move(settings)) {
  if (!settings_.directory.empty()) {
    files_.emplace(settings_.directory);
  }
}

std::optional<double> Generator::seconds(const Formula& formula, Isa isa) const {
  if (settings_.generating == Generating::off || isa == Isa::scalar) {
    return std::nullopt;
  }
  const bool is_made = settings_.plans_alike || Plugin::is_built();
  return is_made ? std::optional(making_seconds(formula)) : std::nullopt;
}

/// REQUIRES that the caller holds the mutex.
double Generator::lost(const std::string& name) const {
  const auto [known, is_new] = lost_.try_emplace(name, 0);
  if (is_new && files_) {
    known->second = files_->seconds(name + kLost).value_or(0);
  }
  return known->second;
}

void Generator::has_run(int64_t times) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, worth] : forgone_) {
    const double seconds = worth * static_cast<double>(times);
    if (seconds >= kLeastLost) {
      lost_[name] += seconds;
      if (files_) {
        files_->write_seconds(name + kLost, lost_[name]);
      }
    }
  }
  forgone_.clear();
}

std::shared_ptr<const Code> Generator::code(const Formula& formula, Isa isa) const {
  if (settings_.generating == Generating::off || isa == Isa::scalar) {
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  return made(name_for(formula, isa), formula, isa);
}

std::shared_ptr<const Code> Generator::code_after_losses(const Formula& formula, Isa isa,
                                                         double worth) const {
  if (settings_.generating == Generating::off || isa == Isa::scalar) {
    return nullptr;
  }
  const std::string name = name_for(formula, isa);
  const std::lock_guard lock(mutex_);
  const bool is_kept = known_.count(name) != 0 || (files_ && files_->has(name));
  if (is_kept || making_seconds(formula) - lost(name) < worth) {
    return made(name, formula, isa);
  }
  double& forgone = forgone_[name];
  forgone = std::max(forgone, worth);
  return nullptr;
}

/// REQUIRES that the caller holds the mutex.
std::shared_ptr<const Code> Generator::made(const std::string& name, const Formula& formula,
                                            Isa isa) const {
  if (const auto known = known_.find(name); known != known_.end()) {
    return known->second;
  }
  std::optional<Image> image = files_ ? files_->read(name) : std::nullopt;
  if (!image) {
    image = plugin_.generate(formula, isa);
    if (image && files_) {
      files_->write(name, *image);
    }
  }
  std::shared_ptr<const Code> code = image ? Code::load(image->bytes, image->entry) : nullptr;
  known_.emplace(name, code);
  return code;
}

}  // namespace tessera::kernels::generated
