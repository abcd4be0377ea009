#include "sql/version_identity.h"

#include <set>
#include <variant>

#include "base/digest.h"
#include "engine/checkpoints/names.h"
#include "frontend/sql/parse.h"
#include "frontend/sql/rewrite.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// Every table that some tables may read, by their definitions, themselves among them.
class ReadTables {
 public:
  explicit ReadTables(const database::Catalog& catalog) : catalog_(catalog) {}

  void add(const std::string& name) {
    open_.push_back(name);
    while (!open_.empty()) {
      const std::string next = open_.back();
      open_.pop_back();
      if (names_.insert(next).second) {
        for (const std::string& text : texts_of(next)) {
          add_read_by(text);
        }
      }
    }
  }

  std::vector<std::string> texts_of(const std::string& name) const {
    std::vector<std::string> texts = catalog_.definitions(name);
    if (const std::optional<std::string> view = catalog_.find_view(name)) {
      texts.push_back(*view);
    }
    return texts;
  }
  const std::set<std::string>& names() const { return names_; }

 private:
  void add_read_by(const std::string& text) {
    const std::vector<Statement> parsed = parse({"definition", text}).value();
    const auto* const definition = std::get_if<DefineVersions>(&parsed.at(0).of);
    const auto* const view = std::get_if<CreateView>(&parsed.at(0).of);
    const SelectPtr query = definition != nullptr ? definition->query
                            : view != nullptr     ? view->query
                                                  : nullptr;
    if (query != nullptr) {
      for_each_table(query, [&](const TableReference& table, SourceSpan) {
        open_.push_back(table.table.text);
      });
    }
  }

  const database::Catalog& catalog_;
  std::set<std::string> names_;
  std::vector<std::string> open_;
};

/// Whether a stored table is one of these, or a version of one.
bool is_of(const std::string& stored, const std::set<std::string>& names) {
  return names.contains(stored.substr(0, stored.find('[')));
}

}  // namespace

std::string identity_of_versions(database::Database& database,
                                 const std::vector<std::string>& tables, int64_t seed,
                                 const engine::Session& session, const Framing& framing) {
  ReadTables read(database.catalog());
  for (const std::string& table : tables) {
    read.add(table);
  }
  Digest digest;
  digest.add(seed);
  digest.add(engine::settings_text(session.setup()));
  digest.add(name_of(framing.cutter));
  digest.add(static_cast<int64_t>(framing.size.max));
  for (const std::string& name : read.names()) {
    for (const std::string& text : read.texts_of(name)) {
      digest.add(name);
      digest.add(text);
    }
  }
  for (const std::string& stored : database.catalog().tables()) {
    if (is_of(stored, read.names())) {
      digest.add(database.digest_of(database.catalog().find_table(stored).value()));
    }
  }
  return digest.text();
}

}  // namespace tessera::sql
