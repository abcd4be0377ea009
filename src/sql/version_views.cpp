#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/sql/parse.h"
#include "frontend/sql/rewrite.h"
#include "sql/in_text.h"
#include "sql/versions.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

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
  return views_[name] = in_text(source, compiler_->program(), [&] {
           return compiler_->compile(std::get<CreateView>(parsed.at(0).of));
         });
}

RelationPtr Versions::find_first_rows(const std::string& view, int64_t count) {
  const std::optional<std::string> text = database_.catalog().find_view(view);
  if (!text) {
    return nullptr;
  }
  const SourceText source{"view " + view, *text};
  auto definition = std::get<CreateView>(parse(source).value().at(0).of);
  Select query = *definition.query;
  if (!query.is_recursive || query.limit || query.offset) {
    return nullptr;
  }
  query.limit = make_expression(NumberLiteral{std::to_string(count), true});
  definition.query = std::make_shared<const Select>(std::move(query));
  return in_text(source, compiler_->program(), [&] { return compiler_->compile(definition); });
}

}  // namespace tessera::sql
