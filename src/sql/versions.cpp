#include "sql/versions.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "frontend/sql/parse.h"
#include "frontend/sql/rewrite.h"
#include "sql/in_text.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// The query of a definition as one of a version: its indices have values, its columns their names.
SelectPtr instance_of(const DefineVersions& definition, const IndexValues& values) {
  Select query = *with_values(definition.query, values);
  // What VALUES alone gives has no names but those of the definition.
  for (FromItemPtr& item : query.from) {
    const auto* const inner = std::get_if<QueryReference>(&item->of);
    if (inner != nullptr && item->column_aliases.empty() && !inner->query->values.empty() &&
        inner->query->values.front().size() == definition.columns.size()) {
      FromItem named = *item;
      named.column_aliases = definition.columns;
      item = std::make_shared<const FromItem>(std::move(named));
    }
  }
  return std::make_shared<const Select>(std::move(query));
}

}  // namespace

Versions::Versions(database::Database& database, VersionLimits limits)
    : database_(database), limits_(limits) {}

void Versions::compile_with(QueryCompiler* compiler) {
  compiler_ = compiler;
  keeper_ = nullptr;
  definitions_.clear();
  names_.clear();
  versions_.clear();
  reads_.clear();
  stored_as_.clear();
  held_.clear();
  views_.clear();
  num_known_ = 0;
  most_held_ = {};
}

const std::vector<Versions::Definition>& Versions::definitions_of(const std::string& table) {
  const auto [place, is_new] = definitions_.try_emplace(table);
  if (is_new) {
    for (const std::string& text : database_.catalog().definitions(table)) {
      SourceText source{"definition of " + table, text};
      const std::vector<Statement> parsed = parse(source).value();
      place->second.push_back({std::get<DefineVersions>(parsed.at(0).of), std::move(source)});
    }
  }
  return place->second;
}

RelationPtr Versions::find(const TableReference& table, SourceSpan) {
  if (table.version.empty()) {
    TESSERA_USER_CHECK(database_.catalog().definitions(table.table.text).empty() ||
                           database_.catalog().find_table(table.table.text).has_value(),
                       "{0} has versions: write which, {0}[…]", table.table.text);
    return find_view(table.table.text);
  }
  std::vector<Wanted> wanted;
  add_wanted(table, {}, wanted);
  TESSERA_USER_CHECK(!wanted.empty(), "the range of versions of {} is empty", table.table.text);
  if (num_computing_ == 0) {
    compute(in_order(wanted));
  }
  std::vector<RelationPtr> relations;
  for (const Wanted& version : wanted) {
    const auto held = held_.find(names_.name(version.version));
    relations.push_back(held == held_.end() ? nullptr : held->second.relation);
  }
  return relations.size() == 1 ? relations.front() : compiler_->union_all(relations);
}

void Versions::expect(const SelectPtr& query) {
  if (num_computing_ > 0) {
    return;
  }
  std::vector<Wanted> wanted;
  for_each_table(query, [&](const TableReference& table, SourceSpan span) {
    if (!table.version.empty()) {
      at(span, [&] { add_wanted(table, span, wanted); });
    }
  });
  compute(in_order(wanted));
}

void Versions::add_wanted(const TableReference& table, SourceSpan span,
                          std::vector<Wanted>& wanted) {
  for (const VersionKey& key : versions_of(table, {})) {
    const VersionId version = add_version(table.table.text, key);
    wanted.push_back({version, span});
    if (num_computing_ == 0) {
      ++at_id(version).num_readers;  // whoever asks
    }
  }
}

void Versions::want(const std::vector<TableReference>& tables) {
  std::vector<Wanted> wanted;
  for (const TableReference& table : tables) {
    add_wanted(table, {}, wanted);
  }
  compute(in_order(wanted));
}

Versions::Needed Versions::needed_for(const std::vector<TableReference>& tables) {
  std::vector<Wanted> wanted;
  for (const TableReference& table : tables) {
    add_wanted(table, {}, wanted);
  }
  Needed needed;
  for (const VersionId version : in_order(wanted)) {
    if (at_id(version).definition != nullptr) {
      ++needed.num_computed;
    } else {
      const std::string name = names_.name(version);
      (stored_as_.at(version) == name ? needed.tables : needed.kept).push_back(name);
    }
  }
  return needed;
}

VersionId Versions::add_version(const std::string& table, const VersionKey& key) {
  const VersionId version = names_.id_of(table, key);
  versions_.resize(names_.size());
  if (at_id(version).is_known) {
    return version;
  }
  const std::string name = names_.name(version);
  TESSERA_USER_CHECK(
      num_known_ < limits_.most_versions,
      "{} needs more than {} versions of tables: a chain of definitions may have no end", name,
      limits_.most_versions);
  std::optional<std::string> stored_as;
  if (database_.catalog().find_table(name)) {
    stored_as = name;
  } else if (keeper_ != nullptr) {
    stored_as = keeper_->find(name);
  }
  const Definition* const definition = stored_as ? nullptr : &definition_of(name, table, key);
  if (stored_as) {
    stored_as_[version] = std::move(*stored_as);
  }
  at_id(version) = {.definition = definition, .is_known = true};
  ++num_known_;
  return version;
}

const Versions::Definition& Versions::definition_of(const std::string& name,
                                                    const std::string& table,
                                                    const VersionKey& key) {
  const std::vector<Definition>& definitions = definitions_of(table);
  TESSERA_USER_CHECK(!definitions.empty(), "there are no versions of {}", table);
  const Definition* found = nullptr;
  for (const Definition& definition : definitions) {
    if (match(definition.syntax.indices, key)) {
      TESSERA_USER_CHECK(found == nullptr, "two definitions cover {}:\n  {}\n  {}", name,
                         found->source.text, definition.source.text);
      found = &definition;
    }
  }
  TESSERA_USER_CHECK(found != nullptr, "no definition covers {}", name);
  return *found;
}

SelectPtr Versions::query_of(VersionId version) const {
  const DefineVersions& definition = versions_[version.index()].definition->syntax;
  return instance_of(definition, *match(definition.indices, names_.key(version)));
}

void Versions::find_reads(VersionId version) {
  const Version& found = at_id(version);
  if (found.is_held || found.definition == nullptr || found.num_reads > 0) {
    return;
  }
  const size_t first = reads_.size();
  std::set<VersionId> seen;
  for_each_table(query_of(version), [&](const TableReference& table, SourceSpan) {
    for (const VersionKey& key :
         table.version.empty() ? std::vector<VersionKey>() : versions_of(table, {})) {
      const VersionId read = add_version(table.table.text, key);
      if (seen.insert(read).second) {
        reads_.push_back(read);
      }
    }
  });
  at_id(version).first_read = static_cast<uint32_t>(first);
  at_id(version).num_reads = static_cast<uint32_t>(seen.size());
}

std::vector<VersionId> Versions::in_order(const std::vector<Wanted>& wanted) {
  std::vector<VersionId> order;
  for (const Wanted& start : wanted) {
    if (at_id(start.version).mark != Version::Mark::done) {
      at(start.span, [&] { add_in_order(start.version, order); });
    }
  }
  for (const VersionId number : order) {
    Version& version = at_id(number);
    version.mark = Version::Mark::none;
    for (uint32_t read = 0; read < version.num_reads; ++read) {
      ++at_id(reads_[version.first_read + read]).num_readers;
    }
  }
  return order;
}

void Versions::fail_cycle(const std::vector<VersionId>& path, VersionId again) const {
  std::vector<std::string> cycle;
  for (auto reader = std::find(path.begin(), path.end(), again); reader != path.end(); ++reader) {
    cycle.push_back(names_.name(*reader));
  }
  cycle.push_back(names_.name(again));
  throw_error(ErrorKind::user, "{} depends on itself: {}", cycle.back(),
              fmt::join(cycle, " reads "));
}

/// From a version that is asked for to those it reads, without recursion: chains may be long.
void Versions::add_in_order(VersionId start, std::vector<VersionId>& order) {
  std::vector<VersionId> path;
  std::vector<uint32_t> next;  // of the reads of each on the path
  const auto enter = [&](VersionId version) {
    find_reads(version);
    at_id(version).mark = Version::Mark::on_path;
    path.push_back(version);
    next.push_back(0);
  };
  enter(start);
  while (!path.empty()) {
    Version& version = at_id(path.back());
    if (next.back() == version.num_reads) {
      version.mark = Version::Mark::done;
      order.push_back(path.back());
      path.pop_back();
      next.pop_back();
      continue;
    }
    const VersionId read = reads_[version.first_read + next.back()++];
    if (at_id(read).mark == Version::Mark::on_path) {
      fail_cycle(path, read);
    }
    if (at_id(read).mark == Version::Mark::none) {
      enter(read);
    }
  }
}

void Versions::compute(const std::vector<VersionId>& order) {
  ++num_computing_;
  compiler_->program().set_unrolled(true);
  try {
    for (const VersionId version : order) {
      if (!at_id(version).is_held) {
        compute(version);
        note_held();
        release_reads(at_id(version));
        if (is_time_to_compute()) {
          compute_tensors();
        }
      }
    }
  } catch (...) {
    end_computing();
    throw;
  }
  end_computing();
}

void Versions::end_computing() {
  compiler_->program().set_unrolled(--num_computing_ > 0);
}

void Versions::compute(VersionId version) {
  const std::string name = names_.name(version);
  RelationPtr relation;
  if (at_id(version).definition == nullptr) {
    relation = compiler_->find_table({Name{stored_as_.at(version), {}}, {}, false}, {});
  } else {
    const Definition& definition = *at_id(version).definition;
    const auto purpose =
        compiler_->random_keys().exchange({name + " " + definition.source.text, 0});
    relation = in_text(definition.source, compiler_->program(), [&] {
      return compiler_->compile_named(query_of(version), definition.syntax.columns);
    });
    compiler_->random_keys().exchange(purpose);
  }
  for (const RelationColumn& column : relation->columns) {
    if (column.tensor) {
      compiler_->program().call(column.tensor->name, name + "." + column.name);
    }
  }
  at_id(version).is_held = true;
  held_[name] = {version, std::move(relation)};
}

void Versions::note_held() {
  constexpr size_t kMostNames = 8;
  const auto num_held = static_cast<int64_t>(held_.size());
  if (num_held <= most_held_.count) {
    return;
  }
  most_held_ = {num_held, {}};
  for (auto held = held_.begin(); held != held_.end() && most_held_.names.size() < kMostNames;
       ++held) {
    most_held_.names.push_back(held->first);
  }
}

void Versions::release_reads(Version& version) {
  const uint32_t num_reads = std::exchange(version.num_reads, 0);
  for (uint32_t number = 0; number < num_reads; ++number) {
    const VersionId read = reads_[version.first_read + number];
    if (--at_id(read).num_readers == 0) {  // of long chains nothing may stay
      at_id(read) = {};
      held_.erase(names_.name(read));
      stored_as_.erase(read);
      --num_known_;
    }
  }
}

bool Versions::is_time_to_compute() {
  const TensorProgram& program = compiler_->program();
  return program.is_full() || (keeper_ != nullptr && keeper_->is_due(program.num_statements()));
}

void Versions::keep_held() {
  if (keeper_ == nullptr) {
    return;
  }
  std::vector<std::pair<std::string, RelationPtr>> held;
  for (const auto& [name, version] : held_) {
    const auto stored_as = stored_as_.find(version.version);
    if (stored_as == stored_as_.end() || stored_as->second != name) {
      held.emplace_back(name, version.relation);
    }
  }
  for (const auto& [name, table] : keeper_->keep(held)) {
    HeldVersion& version = held_.at(name);
    stored_as_[version.version] = table;
    version.relation = compiler_->find_table({Name{table, {}}, {}, false}, {});
  }
}

void Versions::compute_tensors() {
  compiler_->program().keep_held(compiler_->control());
  keep_held();
  compiler_->program().forget_unheld();
}

}  // namespace tessera::sql
