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
  /// The directory that keeps code for other runs; none if empty.
  std::string directory = {};
  /// True if the plan is for other hosts too. It is then made under the assumption that this
  /// program can generate code. A host that cannot interprets, with the same bits.
  bool plans_alike = false;
};

/// A source of code for formulas: code made before, code kept on disk, or code of the plug-in. The
/// kept code changes no plan: it only decides, when a kernel is prepared, if an interpreted formula
/// runs by code. Threads: any number.
class Generator {
 public:
  explicit Generator(GeneratorSettings settings);

  Generating generating() const { return settings_.generating; }

  /// Returns the seconds that making the code of a formula is expected to take; none if no code is
  /// made. Follows from the settings, the formula and how this program was built, never from what
  /// ran before, so that a plan costs the same before and after it ran.
  std::optional<double> seconds(const Formula& formula, Isa isa) const;

  /// Returns the code of a formula that a plan runs by code; null if there is none: the formula is
  /// then interpreted.
  std::shared_ptr<const Code> code(const Formula& formula, Isa isa) const;

  /// Returns code for a formula that a plan interprets, if code would save `worth` seconds of a
  /// run: kept code, or code that is made because earlier runs have lost what making takes, so that
  /// a repeated run loses at most twice that. Else null, and the loss is noted.
  std::shared_ptr<const Code> code_after_losses(const Formula& formula, Isa isa,
                                                double worth) const;

  /// Records that the prepared formulas have run `times` times: the noted losses are kept, in
  /// memory and on disk.
  void has_run(int64_t times) const;

 private:
  double lost(const std::string& name) const;
  std::shared_ptr<const Code> made(const std::string& name, const Formula& formula, Isa isa) const;

  GeneratorSettings settings_;
  std::optional<CodeFiles> files_;
  mutable Plugin plugin_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::shared_ptr<const Code>> known_;  // by name
  mutable std::unordered_map<std::string, double> lost_;     // by name, seconds of runs before
  mutable std::unordered_map<std::string, double> forgone_;  // by name, seconds of prepared ones
};

}  // namespace tessera::kernels::generated
