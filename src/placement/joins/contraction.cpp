#include "placement/joins/contraction.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::placement::joins {

namespace {

/// Counts the values of a term.
int64_t num_values(const ia::SiteTerm& term, int64_t num_keys) {
  const int64_t blocks = (num_keys + term.block - 1) / term.block;
  return term.cycle == 0 ? blocks : std::min(term.cycle, blocks);
}

/// Counts the sites that need a copy of each tuple of an operand.
double copies_of(const Operand& operand, const Contraction& contraction, const ia::ByMap& at) {
  double copies = 1;
  for (const ia::SiteTerm& term : at.terms) {
    if (!operand.has(term.label)) {
      copies *= static_cast<double>(num_values(term, contraction.num_keys(term.label)));
    }
  }
  return std::min(copies, static_cast<double>(contraction.num_sites));
}

/// Returns how many sites get tuples; all of them if there are too many tuples to look at.
int64_t num_sites_used(const Contraction& contraction, const ia::ByMap& sites) {
  if (tra::num_keys(contraction.key) > tra::kMostTuples) {
    return contraction.num_sites;
  }
  const std::vector<int32_t> all = ia::sites_of(sites, contraction.key, contraction.num_sites);
  return static_cast<int64_t>(std::set<int32_t>(all.begin(), all.end()).size());
}

}  // namespace

bool Operand::has(const std::string& label) const {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

bool Operand::has_all(const ia::ByMap& map) const {
  return std::all_of(map.terms.begin(), map.terms.end(),
                     [&](const ia::SiteTerm& term) { return has(term.label); });
}

int64_t Contraction::num_keys(const std::string& label) const {
  return tra::num_keys(key[static_cast<size_t>(tra::find_key_dim(key, label))]);
}

std::vector<std::string> Contraction::cut_labels() const {
  std::vector<std::string> labels;
  for (const tra::KeyDim& dim : key) {
    if (tra::num_keys(dim) > 1) {
      labels.push_back(tra::label_of(dim));
    }
  }
  return labels;
}

void note_sites(const Policy& policy, const Contraction& contraction, const ia::ByMap& sites,
                const std::string& statement, std::vector<std::string>& notes) {
  const std::vector<std::string> labels =
      policy.grid_labels == nullptr ? std::vector<std::string>() : policy.grid_labels(contraction);
  if (sites.terms.size() == 1 && labels.size() > 1) {
    notes.push_back(fmt::format("{} makes {} on a line of sites along {}, not on a grid along {}",
                                policy.planner, statement, sites.terms.front().label,
                                fmt::join(labels, ", ")));
  }
  const int64_t used = num_sites_used(contraction, sites);
  if (used < contraction.num_sites) {
    notes.push_back(fmt::format("{} makes {} on {} of {} sites", policy.planner, statement, used,
                                contraction.num_sites));
  }
}

ia::ByMap in_runs(const Contraction& contraction, const std::string& label) {
  const int64_t keys = contraction.num_keys(label);
  const int64_t run = (keys + contraction.num_sites - 1) / contraction.num_sites;
  return ia::simplified({{{label, 1, run}}}, contraction.key, contraction.num_sites);
}

double bytes_brought(const Contraction& contraction, const ia::ByMap& at) {
  double bytes = 0;
  for (const Operand& operand : contraction.operands) {
    if (operand.is_everywhere) {
      continue;
    }
    const bool is_there = operand.lies == at || (operand.is_input && operand.has_all(at));
    const double sites = static_cast<double>(contraction.num_sites);
    // A tuple of an input is read where one of its copies is needed.
    const double own =
        operand.is_input || copies_of(operand, contraction, at) == sites ? 1 : 1 / sites;
    bytes += is_there ? 0 : operand.bytes * (copies_of(operand, contraction, at) - own);
  }
  return bytes;
}

}  // namespace tessera::placement::joins
