#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/frames/frames.h"
#include "io/unnamed_array.h"

namespace tessera::engine {

/// The results that frames left for those after them. They are in files without names, so that they
/// take nothing of a run's memory.
class LeftResults {
 public:
  explicit LeftResults(std::string directory) : directory_(std::move(directory)) {}

  /// All that is left, by name; of two results of one name the later one.
  const Sources& sources() const { return sources_; }

  /// Adds what a frame reads of them to its inputs. Errors: `user` for a name that none left.
  void bind(Frame& frame) const;

  /// New files for what a frame leaves, as sinks of its run. Errors: `user` for a name that is no
  /// result of its plan, and where no file can be made.
  Sinks open(const Frame& frame, const Plan& plan);

  /// Makes what was written last what later frames read.
  void commit();

 private:
  std::string directory_;
  std::map<std::string, std::unique_ptr<io::UnnamedArray>> written_;  // not read yet
  std::map<std::string, std::unique_ptr<io::UnnamedArray>> left_;
  Sources sources_;
};

}  // namespace tessera::engine
