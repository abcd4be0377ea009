#include "program/versions/version_order.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"

namespace tessera::program {

VersionId VersionOrder::add(const std::string& table, const VersionKey& key) {
  const VersionId version = names_.id_of(table, key);
  versions_.resize(names_.size());
  if (at(version).is_known) {
    return version;
  }
  TESSERA_USER_CHECK(
      num_known_ < most_versions_,
      "{} needs more than {} versions of tables: a chain of definitions may have no end",
      names_.name(version), most_versions_);
  const uint32_t definition = definitions_.find(version).value_or(kNone);
  at(version) = {.definition = definition, .is_known = true};
  ++num_known_;
  return version;
}

std::optional<uint32_t> VersionOrder::definition(VersionId version) const {
  const uint32_t definition = versions_[version.index()].definition;
  return definition == kNone ? std::nullopt : std::optional(definition);
}

void VersionOrder::find_reads(VersionId version) {
  const Version& found = at(version);
  if (found.is_computed || found.definition == kNone || found.num_reads > 0) {
    return;
  }
  const size_t first = reads_.size();
  std::set<VersionId> seen;
  definitions_.for_each_read(version, found.definition,
                             [&](const std::string& table, const VersionKey& key) {
                               const VersionId read = add(table, key);
                               if (seen.insert(read).second) {
                                 reads_.push_back(read);
                               }
                             });
  at(version).first_read = static_cast<uint32_t>(first);
  at(version).num_reads = static_cast<uint32_t>(seen.size());
}

void VersionOrder::fail_cycle(const std::vector<VersionId>& path, VersionId again) const {
  std::vector<std::string> cycle;
  for (auto reader = std::find(path.begin(), path.end(), again); reader != path.end(); ++reader) {
    cycle.push_back(names_.name(*reader));
  }
  cycle.push_back(names_.name(again));
  throw_error(ErrorKind::user, "{} depends on itself: {}", cycle.back(),
              fmt::join(cycle, " reads "));
}

/// Goes from the version to those that it reads without recursion, because chains may be long.
void VersionOrder::append(VersionId start, std::vector<VersionId>& order) {
  if (at(start).mark == Version::Mark::done) {
    return;
  }
  std::vector<VersionId> path;
  std::vector<uint32_t> next;  // of the reads of each on the path
  const auto enter = [&](VersionId version) {
    find_reads(version);
    at(version).mark = Version::Mark::on_path;
    path.push_back(version);
    next.push_back(0);
  };
  enter(start);
  while (!path.empty()) {
    Version& version = at(path.back());
    if (next.back() == version.num_reads) {
      version.mark = Version::Mark::done;
      order.push_back(path.back());
      path.pop_back();
      next.pop_back();
      continue;
    }
    const VersionId read = reads_[version.first_read + next.back()++];
    if (at(read).mark == Version::Mark::on_path) {
      fail_cycle(path, read);
    }
    if (at(read).mark == Version::Mark::none) {
      enter(read);
    }
  }
}

void VersionOrder::end(const std::vector<VersionId>& order) {
  for (const VersionId number : order) {
    Version& version = at(number);
    version.mark = Version::Mark::none;
    for (uint32_t read = 0; read < version.num_reads; ++read) {
      ++at(reads_[version.first_read + read]).num_readers;
    }
  }
}

void VersionOrder::release_reads(VersionId version, const std::function<void(VersionId)>& forget) {
  const uint32_t num_reads = std::exchange(at(version).num_reads, 0);
  for (uint32_t number = 0; number < num_reads; ++number) {
    const VersionId read = reads_[at(version).first_read + number];
    if (--at(read).num_readers == 0) {  // of long chains nothing may stay
      at(read) = {};
      forget(read);
      --num_known_;
    }
  }
}

void VersionOrder::clear() {
  names_.clear();
  versions_.clear();
  reads_.clear();
  num_known_ = 0;
}

}  // namespace tessera::program
