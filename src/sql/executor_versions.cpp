#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/overload.h"
#include "frontend/sql/rewrite.h"
#include "sql/executor.h"
#include "sql/explain_frames.h"
#include "sql/version_identity.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

constexpr double kUsualSeconds = 60;  // that a death costs

/// The versions that a query reads itself.
void add_versions(const SelectPtr& query, std::vector<TableReference>& read) {
  for_each_table(query, [&](const TableReference& table, SourceSpan) {
    if (!table.version.empty()) {
      read.push_back(table);
    }
  });
}

std::set<std::string> names_of_versions(const std::vector<TableReference>& versions) {
  std::set<std::string> names;
  for (const TableReference& version : versions) {
    for (const VersionKey& key : versions_of(version, {})) {
      names.insert(version_name(version.table.text, key));
    }
  }
  return names;
}

}  // namespace

void Executor::run_loop(const Execute& statement, size_t loop, const IndexValues& values,
                        std::vector<StatementPtr>& bodies) {
  if (loop == statement.loops.size()) {
    Statement body = *statement.body;
    std::visit(
        Overload{[&](Query& node) { node.query = with_values(node.query, values); },
                 [&](Materialize& node) { node.version = with_values(node.version, values); },
                 [](auto&) {
                   throw_error(ErrorKind::unsupported,
                               "EXECUTE of anything but queries and MATERIALIZE");
                 }},
        body.of);
    bodies.push_back(std::make_shared<const Statement>(std::move(body)));
    return;
  }
  const Execute::Loop& head = statement.loops[loop];
  const int64_t high = index_value(*head.high, values);
  for (int64_t value = index_value(*head.low, values); value <= high; ++value) {
    IndexValues inner = values;
    inner[head.name.text] = value;
    run_loop(statement, loop + 1, inner, bodies);
  }
}

void Executor::run(const Execute& statement) {
  std::vector<StatementPtr> bodies;
  run_loop(statement, 0, {}, bodies);
  std::vector<TableReference> kept;
  std::vector<TableReference> read;  // all versions that any of them reads are one plan
  for (const StatementPtr& body : bodies) {
    if (const auto* query = std::get_if<Query>(&body->of)) {
      add_versions(query->query, read);
    } else {
      kept.push_back(std::get<Materialize>(body->of).version);
    }
  }
  versions_.want(read);
  std::vector<RelationPtr> results;
  for (const StatementPtr& body : bodies) {
    if (const auto* query = std::get_if<Query>(&body->of)) {
      results.push_back(compiler_->compile(query->query));
    }
  }
  give(results);
  if (!kept.empty()) {
    tag(fmt::format("MATERIALIZE {}", materialize(kept)));
  }
}

void Executor::run(const Materialize& statement) {
  tag(fmt::format("MATERIALIZE {}", materialize({statement.version})));
}

std::unique_ptr<VersionCheckpoints> Executor::checkpoints_for(
    const std::vector<TableReference>& versions) {
  if (is_in_transaction_) {
    return nullptr;
  }
  std::vector<std::string> tables;
  for (const TableReference& version : versions) {
    tables.push_back(version.table.text);
  }
  return std::make_unique<VersionCheckpoints>(
      database_, *program_, names_of_versions(versions),
      session_.settings().checkpoint_seconds.value_or(kUsualSeconds),
      [this, tables] { return identity_of_versions(database_, tables, seed_, session_, framing_); },
      [this](const Relation& relation, const std::string& name) { store(relation, name, false); });
}

size_t Executor::materialize(const std::vector<TableReference>& versions) {
  const std::unique_ptr<VersionCheckpoints> checkpoints = checkpoints_for(versions);
  versions_.keep_with(checkpoints.get());
  versions_.want(versions);
  versions_.keep_with(nullptr);
  versions_.compute_tensors();  // at once, and not one by one as they are stored
  const std::set<std::string> names = names_of_versions(versions);
  for (const std::string& name : names) {
    if (checkpoints == nullptr || !checkpoints->publish(name)) {
      store(versions_.wanted(name), name, true);
    }
  }
  if (checkpoints != nullptr) {
    checkpoints->drop_all();
  }
  return names.size();
}

void Executor::explain_versions(const Statement& statement) {
  std::vector<StatementPtr> bodies;
  if (const auto* execute = std::get_if<Execute>(&statement.of)) {
    run_loop(*execute, 0, {}, bodies);
  } else if (std::holds_alternative<Materialize>(statement.of)) {
    bodies.push_back(std::make_shared<const Statement>(statement));
  } else {
    throw_error(ErrorKind::unsupported, "EXPLAIN of anything but a query, EXECUTE or MATERIALIZE");
  }
  std::vector<TableReference> wanted;
  std::vector<TableReference> read;
  for (const StatementPtr& body : bodies) {
    if (const auto* query = std::get_if<Query>(&body->of)) {
      add_versions(query->query, read);
    } else {
      wanted.push_back(std::get<Materialize>(body->of).version);
    }
  }
  const std::unique_ptr<VersionCheckpoints> checkpoints = checkpoints_for(wanted);
  versions_.keep_with(wanted.empty() ? nullptr : checkpoints.get());
  read.insert(read.end(), wanted.begin(), wanted.end());
  const Versions::Needed needed = versions_.needed_for(read);
  std::string text = fmt::format("versions\n  computed: {}\n", needed.num_computed);
  if (!needed.tables.empty()) {
    text += fmt::format("  tables: {}\n", first_names(needed.tables));
  }
  if (!needed.kept.empty()) {
    text +=
        fmt::format("  reused, as one that did not end kept them: {}\n", first_names(needed.kept));
  }
  (*receive_)({std::nullopt, "", text});
}

}  // namespace tessera::sql
