#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "kernels/generated/code.h"
#include "kernels/generated/code_files.h"
#include "kernels/generated/formula.h"
#include "kernels/generated/generating.h"
#include "kernels/generated/plugin.h"

namespace tessera::kernels::generated {

struct GeneratorSettings {
  Generating generating = Generating::automatic;
  /// Where code is kept for other runs; nowhere if empty.
  std::string directory = {};
  /// Whether several processes are to plan the same: what one of them has kept, or whether it can
  /// make code at all, then changes no plan. One that cannot interprets, to the same bits.
  bool plans_alike = false;
};

/// Gives the code of formulas: what it made before, what is kept on disk, or what the plug-in
/// makes. Threads: any number.
class Generator {
 public:
  explicit Generator(GeneratorSettings settings);

  Generating generating() const { return settings_.generating; }

  /// What it is expected to take until the code of a formula is there, in seconds, less what runs
  /// before have lost without it, so that what is run again and again loses at most twice what
  /// making takes; none where it will not be there. The plug-in is opened only where code is worth
  /// `worth` seconds.
  std::optional<double> seconds(const Formula& formula, Isa isa, double worth) const;

  /// What was planned has run so many times: what it lost for every formula that was not worth code
  /// is kept, in memory and on disk.
  void has_run(int64_t times) const;

  /// The code, or null where there will be none: the formula is then interpreted.
  std::shared_ptr<const Code> code(const Formula& formula, Isa isa) const;

 private:
  double lost(const std::string& name) const;

  GeneratorSettings settings_;
  std::optional<CodeFiles> files_;
  mutable Plugin plugin_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::shared_ptr<const Code>> known_;  // by name
  mutable std::unordered_map<std::string, double> lost_;     // by name, seconds of runs before
  mutable std::unordered_map<std::string, double> forgone_;  // by name, seconds of what is planned
};

}  // namespace tessera::kernels::generated
