#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "expr/text/scanner.h"
#include "ir/ia/placement_of.h"

namespace tessera::ia {

namespace {

std::string term_text(const SiteTerm& term) {
  std::string text = expr::written_name(term.label);
  text += term.block == 1 ? "" : fmt::format("/{}", term.block);
  text += term.cycle == 0 ? "" : fmt::format("%{}", term.cycle);
  if (term.stride == 1) {
    return text;
  }
  const bool is_plain = term.block == 1 && term.cycle == 0;
  return fmt::format(fmt::runtime(is_plain ? "{}*{}" : "{}*({})"), term.stride, text);
}

/// Formats the sites of one key in a table of sites.
std::string set_text(std::span<const int32_t> sites) {
  if (sites.empty()) {
    return fmt::format("{}", kNowhere);
  }
  return fmt::format(fmt::runtime(sites.size() == 1 ? "{}" : "{{{}}}"), fmt::join(sites, ","));
}

}  // namespace

std::string to_string(const Placement& placement) {
  struct Writer {
    std::string operator()(const Everywhere&) const { return "everywhere"; }
    std::string operator()(const ByMap& map) const {
      std::vector<std::string> terms;
      std::transform(map.terms.begin(), map.terms.end(), std::back_inserter(terms), term_text);
      return fmt::format("({})", fmt::join(terms, "+"));
    }
    std::string operator()(const ByTable& table) const {
      return fmt::format("[{}]", fmt::join(*table.sites, ","));
    }
    std::string operator()(const ByCopies& copies) const {
      std::vector<std::string> sets;
      for (size_t key = 0; key < copies.sites->num_keys(); ++key) {
        sets.push_back(set_text(copies.sites->of(key)));
      }
      return fmt::format("[{}]", fmt::join(sets, ","));
    }
    std::string operator()(const Undecided&) const { return "undecided"; }
  };
  return std::visit(Writer{}, placement);
}

}  // namespace tessera::ia
