#include "sql/versions.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "frontend/sql/parse.h"
#include "frontend/sql/rewrite.h"
#include "sql/statement_error.h"

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

/// Does what a query of another text than the statement's asks for, which is where errors are.
template <class Do>
RelationPtr in_text(const SourceText& source, const Do& act) {
  try {
    return act();
  } catch (const database::SqlError& error) {
    throw shown_in(source, {0, static_cast<int64_t>(source.text.size())}, error, {});
  }
}

}  // namespace

Versions::Versions(database::Database& database, VersionLimits limits)
    : database_(database), limits_(limits) {}

void Versions::compile_with(QueryCompiler* compiler) {
  compiler_ = compiler;
  keeper_ = nullptr;
  definitions_.clear();
  versions_.clear();
  views_.clear();
  num_held_ = 0;
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

RelationPtr Versions::find_view(const std::string& name) {
  const auto known = views_.find(name);
  if (known != views_.end()) {
    return known->second;
  }
  const std::optional<std::string> text = database_.catalog().find_view(name);
  if (!text) {
    return nullptr;
  }
  const SourceText source{"view " + name, *text};
  const std::vector<Statement> parsed = parse(source).value();
  return views_[name] = in_text(
             source, [&] { return compiler_->compile(std::get<CreateView>(parsed.at(0).of)); });
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
    relations.push_back(versions_.at(version.name).relation);
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
    NamedVersion& version = add_version(table.table.text, key);
    wanted.push_back({version.first, span});
    if (num_computing_ == 0) {
      ++version.second.num_readers;  // whoever asks
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
  for (const NamedVersion* const version : in_order(wanted)) {
    const auto& [name, found] = *version;
    if (found.definition != nullptr) {
      ++needed.num_computed;
    } else {
      (*found.stored_as == name ? needed.tables : needed.kept).push_back(name);
    }
  }
  return needed;
}

Versions::NamedVersion& Versions::add_version(const std::string& table, const VersionKey& key) {
  const std::string name = version_name(table, key);
  if (const auto known = versions_.find(name); known != versions_.end()) {
    return *known;
  }
  TESSERA_USER_CHECK(
      static_cast<int64_t>(versions_.size()) < limits_.most_versions,
      "{} needs more than {} versions of tables: a chain of definitions may have no end", name,
      limits_.most_versions);
  Version version;
  if (database_.catalog().find_table(name)) {
    version.stored_as = std::make_unique<const std::string>(name);
  } else if (std::optional<std::string> kept =
                 keeper_ == nullptr ? std::nullopt : keeper_->find(name)) {
    version.stored_as = std::make_unique<const std::string>(std::move(*kept));
  } else {
    const std::vector<Definition>& definitions = definitions_of(table);
    TESSERA_USER_CHECK(!definitions.empty(), "there are no versions of {}", table);
    for (const Definition& definition : definitions) {
      if (match(definition.syntax.indices, key)) {
        TESSERA_USER_CHECK(version.definition == nullptr, "two definitions cover {}:\n  {}\n  {}",
                           name, version.definition->source.text, definition.source.text);
        version.definition = &definition;
      }
    }
    TESSERA_USER_CHECK(version.definition != nullptr, "no definition covers {}", name);
  }
  return *versions_.emplace(name, std::move(version)).first;
}

SelectPtr Versions::query_of(const NamedVersion& version) {
  const DefineVersions& definition = version.second.definition->syntax;
  const VersionKey key = key_of_version(version.first, definition.indices.size());
  return instance_of(definition, *match(definition.indices, key));
}

void Versions::find_reads(NamedVersion& version) {
  if (version.second.relation != nullptr || version.second.definition == nullptr ||
      !version.second.reads.empty()) {
    return;
  }
  std::set<std::string> seen;
  for_each_table(query_of(version), [&](const TableReference& table, SourceSpan) {
    for (const VersionKey& key :
         table.version.empty() ? std::vector<VersionKey>() : versions_of(table, {})) {
      NamedVersion& read = add_version(table.table.text, key);
      if (seen.insert(read.first).second) {
        version.second.reads.push_back(&read);
      }
    }
  });
  version.second.reads.shrink_to_fit();
}

std::vector<Versions::NamedVersion*> Versions::in_order(const std::vector<Wanted>& wanted) {
  std::vector<NamedVersion*> order;
  for (const Wanted& start : wanted) {
    NamedVersion& version = *versions_.find(start.name);
    if (version.second.mark != Version::Mark::done) {
      at(start.span, [&] { add_in_order(version, order); });
    }
  }
  for (NamedVersion* const version : order) {
    version->second.mark = Version::Mark::none;
    if (version->second.relation == nullptr) {
      for (NamedVersion* const read : version->second.reads) {
        ++read->second.num_readers;
      }
    }
  }
  return order;
}

/// From a version that is asked for to those it reads, without recursion: chains may be long.
void Versions::add_in_order(NamedVersion& start, std::vector<NamedVersion*>& order) {
  struct Open {
    NamedVersion* version;
    size_t next = 0;  // of its reads
  };
  std::vector<Open> path;
  const auto enter = [&](NamedVersion& version) {
    find_reads(version);
    version.second.mark = Version::Mark::on_path;
    path.push_back({&version, 0});
  };
  enter(start);
  while (!path.empty()) {
    Open& open = path.back();
    Version& version = open.version->second;
    if (open.next == version.reads.size()) {
      version.mark = Version::Mark::done;
      order.push_back(open.version);
      path.pop_back();
      continue;
    }
    NamedVersion& read = *version.reads[open.next++];
    if (read.second.mark == Version::Mark::on_path) {
      std::vector<std::string> cycle;
      auto reader = std::find_if(path.begin(), path.end(),
                                 [&](const Open& one) { return one.version == &read; });
      for (; reader != path.end(); ++reader) {
        cycle.push_back(reader->version->first);
      }
      cycle.push_back(read.first);
      throw_error(ErrorKind::user, "{} depends on itself: {}", read.first,
                  fmt::join(cycle, " reads "));
    }
    if (read.second.mark == Version::Mark::none) {
      enter(read);
    }
  }
}

void Versions::compute(const std::vector<NamedVersion*>& order) {
  ++num_computing_;
  compiler_->program().set_unrolled(true);
  try {
    for (NamedVersion* const version : order) {
      if (version->second.relation == nullptr) {
        compute(*version);
        note_held();
        release_reads(version->second);
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

void Versions::compute(NamedVersion& computed) {
  auto& [name, version] = computed;
  if (version.definition == nullptr) {
    version.relation = compiler_->find_table({Name{*version.stored_as, {}}, {}, false}, {});
  } else {
    const Definition& definition = *version.definition;
    const auto purpose =
        compiler_->random_keys().exchange({name + " " + definition.source.text, 0});
    version.relation = in_text(definition.source, [&] {
      return compiler_->compile_named(query_of(computed), definition.syntax.columns);
    });
    compiler_->random_keys().exchange(purpose);
  }
  for (const RelationColumn& column : version.relation->columns) {
    if (column.tensor) {
      compiler_->program().call(column.tensor->name, name + "." + column.name);
    }
  }
}

void Versions::note_held() {
  constexpr size_t kMostNames = 8;
  if (++num_held_ <= most_held_.count) {
    return;
  }
  most_held_ = {num_held_, {}};
  for (auto held = versions_.begin(); held != versions_.end(); ++held) {
    if (held->second.relation != nullptr && most_held_.names.size() < kMostNames) {
      most_held_.names.push_back(held->first);
    }
  }
}

void Versions::release_reads(Version& version) {
  for (NamedVersion* const read : std::exchange(version.reads, {})) {
    if (--read->second.num_readers == 0) {
      versions_.erase(versions_.find(read->first));  // of long chains nothing may stay
      --num_held_;
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
  for (const auto& [name, version] : versions_) {
    if (version.relation != nullptr &&
        (version.stored_as == nullptr || *version.stored_as != name)) {
      held.emplace_back(name, version.relation);
    }
  }
  for (const auto& [name, table] : keeper_->keep(held)) {
    Version& version = versions_.at(name);
    version.stored_as = std::make_unique<const std::string>(table);
    version.relation = compiler_->find_table({Name{table, {}}, {}, false}, {});
  }
}

void Versions::compute_tensors() {
  compiler_->program().keep_held(compiler_->control());
  keep_held();
  compiler_->program().forget_unheld();
}

}  // namespace tessera::sql
