#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "program/versions/version_names.h"

namespace tessera::program {

/// The definitions of versions, as a front end has them. It numbers them.
class VersionDefinitions {
 public:
  virtual ~VersionDefinitions() = default;

  /// The definition of a version that is asked for; nothing if the version is there already, and
  /// nothing computes it. Errors: `user`, if no definition covers it.
  virtual std::optional<uint32_t> find(VersionId version) = 0;

  using VisitRead = std::function<void(const std::string& table, const VersionKey& key)>;
  /// Calls `visit` with the versions that a version reads itself by its definition.
  virtual void for_each_read(VersionId version, uint32_t definition, const VisitRead& visit) = 0;
};

/// Versions of tables in the order in which they are computed: each once, behind those that it
/// reads itself, and forgotten when nothing will read it any more.
///
/// Chains are long, and all of one is there before its first version is computed, so a version
/// takes some dozens of bytes. Threads: one at a time.
class VersionOrder {
 public:
  /// The definitions outlive it.
  VersionOrder(VersionDefinitions& definitions, int64_t most_versions)
      : definitions_(definitions), most_versions_(most_versions) {}

  /// The version of a name. Errors: those of VersionDefinitions::find; `user`, if there are more
  /// versions than may be.
  VersionId add(const std::string& table, const VersionKey& key);
  /// Counts a reader that is no version.
  void add_reader(VersionId version) { ++at(version).num_readers; }

  /// Appends a version and all that it reads and are not in the order yet, each behind what it
  /// reads itself. Errors: those of add(); `user`, with the cycle, if a version depends on itself.
  void append(VersionId version, std::vector<VersionId>& order);
  /// Counts the readers of what an order's versions read. REQUIRES that all of it was appended.
  void end(const std::vector<VersionId>& order);

  /// The definition that a version is computed by; nothing if it is there already.
  std::optional<uint32_t> definition(VersionId version) const;
  bool is_computed(VersionId version) const { return versions_[version.index()].is_computed; }
  /// Notes that a version is computed. Calls `forget` with the versions that nothing will read any
  /// more.
  void set_computed(VersionId version) { at(version).is_computed = true; }
  void release_reads(VersionId version, const std::function<void(VersionId)>& forget);

  std::string name(VersionId version) const { return names_.name(version); }
  const std::string& table(VersionId version) const { return names_.table(version); }
  VersionKey key(VersionId version) const { return names_.key(version); }
  void clear();

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Version {
    uint32_t definition = kNone;  // none where it is there already
    uint32_t first_read = 0;      // in reads_, of so many, until it is computed
    uint32_t num_reads = 0;
    int32_t num_readers = 0;  // that will read it yet
    bool is_known = false;    // else nothing reads it, or will any more
    bool is_computed = false;
    enum class Mark : uint8_t { none, on_path, done } mark = Mark::none;  // of append()
  };

  Version& at(VersionId version) { return versions_[version.index()]; }
  void find_reads(VersionId version);
  [[noreturn]] void fail_cycle(const std::vector<VersionId>& path, VersionId again) const;

  VersionDefinitions& definitions_;
  int64_t most_versions_;
  VersionNames names_;
  std::deque<Version> versions_;  // by id
  std::deque<VersionId> reads_;   // of one version after the other
  int64_t num_known_ = 0;
};

}  // namespace tessera::program
