#include "sql/version_checkpoints.h"

#include <algorithm>

#include <fmt/format.h>

#include "frontend/sql/sqlite_text.h"

namespace tessera::sql {

namespace {

using frontend::sql::sqlite_name;

/// Nothing is known of what a statement takes before some have run: few run first, and then at most
/// so many times as many as before.
constexpr int64_t kFirstStatements = 16;
constexpr int64_t kMostGrowth = 4;

}  // namespace

VersionCheckpoints::VersionCheckpoints(database::Database& database, const TensorProgram& program,
                                       std::set<std::string> wanted, double seconds,
                                       Identity identity, Store store)
    : database_(database),
      program_(program),
      wanted_(std::move(wanted)),
      seconds_(seconds),
      make_identity_(std::move(identity)),
      store_(std::move(store)),
      most_statements_(kFirstStatements) {}

const std::string& VersionCheckpoints::identity() {
  if (!identity_) {
    identity_ = make_identity_();
  }
  return *identity_;
}

std::string VersionCheckpoints::kept_name(const std::string& version) {
  return database::kKeptTable + identity() + " " + version;
}

std::optional<std::string> VersionCheckpoints::find(const std::string& version) {
  if (!identity_ && database_.catalog().kept_tables().empty()) {
    return std::nullopt;  // what it follows from need not be read
  }
  const std::string name = kept_name(version);
  const std::optional<database::Table> table = database_.catalog().find_table(name);
  return table && database_.faults_of(*table).empty() ? std::optional(name) : std::nullopt;
}

bool VersionCheckpoints::is_due(int64_t num_statements) {
  num_statements_ = num_statements;
  // Of scalars alone nothing is computed later, so that any moment will do.
  return num_statements > 0 ? num_statements >= most_statements_ : is_time_to_keep_all();
}

bool VersionCheckpoints::is_time_to_keep_all() const {
  return std::chrono::duration<double>(Clock::now() - last_kept_).count() >= seconds_;
}

void VersionCheckpoints::measure(int64_t num_statements) {
  // The plans' estimates count, and not the clock: two runs are to be cut alike.
  const double estimated = program_.estimated_seconds() - estimated_before_;
  estimated_before_ = program_.estimated_seconds();
  const double each = estimated / static_cast<double>(std::max<int64_t>(1, num_statements));
  const double fitting = seconds_ / std::max(each, 1e-9);
  most_statements_ = std::max<int64_t>(
      1,
      static_cast<int64_t>(std::min(fitting, static_cast<double>(kMostGrowth * most_statements_))));
}

std::map<std::string, std::string> VersionCheckpoints::keep(
    const std::vector<std::pair<std::string, RelationPtr>>& held) {
  measure(num_statements_);
  const bool keeps_all = is_time_to_keep_all();
  std::map<std::string, std::string> staying;
  std::set<std::string> needed;
  bool has_new = false;
  for (const auto& [version, relation] : held) {
    const std::string name = kept_name(version);
    needed.insert(name);
    const bool is_wanted = wanted_.contains(version);
    const bool is_there = database_.catalog().find_table(name).has_value();
    if ((keeps_all || is_wanted) && !is_there) {
      store_(*relation, name);
      has_new = true;
      if (is_wanted) {
        staying[version] = name;
      }
    }
  }
  if (has_new) {
    drop_all_but(needed, !keeps_all);
    database_.commit_and_go_on();
    last_kept_ = keeps_all ? Clock::now() : last_kept_;
  }
  return staying;
}

void VersionCheckpoints::drop_all_but(const std::set<std::string>& needed, bool of_others_only) {
  std::set<std::string> wanted;
  for (const std::string& version : wanted_) {
    wanted.insert(kept_name(version));
  }
  for (const std::string& table : database_.catalog().kept_tables()) {
    const bool is_own = table.starts_with(kept_name(""));
    if (!needed.contains(table) && !wanted.contains(table) && !(is_own && of_others_only)) {
      drop(table);
    }
  }
}

void VersionCheckpoints::drop(const std::string& table) {
  database_.connection().execute("DROP TABLE " + sqlite_name(table));
  database_.catalog().remove_table(table);
}

bool VersionCheckpoints::publish(const std::string& version) {
  if (!identity_ || !database_.catalog().find_table(kept_name(version))) {
    return false;
  }
  const std::string kept = kept_name(version);
  database::Connection& connection = database_.connection();
  // SQLite's RENAME looks at every table that there is, so that many would take long.
  std::string made = connection.text("SELECT sql FROM sqlite_master WHERE name = ?", kept);
  made.replace(made.find(sqlite_name(kept)), sqlite_name(kept).size(), sqlite_name(version));
  connection.execute(made);
  connection.execute(fmt::format("INSERT INTO {0} SELECT * FROM {1} ORDER BY rowid; DROP TABLE {1}",
                                 sqlite_name(version), sqlite_name(kept)));
  database_.catalog().rename_table(kept, version);
  return true;
}

void VersionCheckpoints::drop_all() {
  for (const std::string& table : database_.catalog().kept_tables()) {
    drop(table);
  }
}

}  // namespace tessera::sql
