#include "optimizer/partition/problem/alternatives.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "optimizer/partition/model/cost.h"
#include "optimizer/partition/problem/cut_lengths.h"
#include "optimizer/partition/problem/site_grids.h"

namespace tessera::optimizer::partition {

namespace {

/// The part of the requested calls that is enough.
constexpr double kNearlyAsMany = 0.9;
/// Partial results are small if this many times more is read.
constexpr double kSmallPartials = 16;
/// The cost, in numbers, of handing on an element of a row in pieces. A single call saves writing
/// and reading it; measured in a softmax of 64 MB: 1 to 2 for each of its reductions.
constexpr double kHandedOn = 4;

/// The cost, in numbers, of an element of a tile that leaves a core's share of the cache between
/// reading, computing and writing: it comes from the cache of all cores.
constexpr double kReloaded = 0.5;
/// The weight of a second between sites against one within them: no computation overlaps it, and
/// the operands of calls are an upper bound, because tiles stay in caches. Products with one long
/// label on 64 sites then communicate a half to a third less, and their plans end up to 9 % sooner;
/// some that take a few milliseconds end up to a quarter later, because more tiles are sent.
constexpr double kWeightBetweenSites = 1.5;

double num_result_tiles(const StatementModel& statement, const Lengths& lengths) {
  return num_calls(statement, lengths) / num_partials(statement, lengths);
}

/// Returns the required number of result tiles made side by side, at most what any alternative has.
double wanted_tiles(const std::vector<Lengths>& all, const StatementModel& statement,
                    const Fineness& fineness) {
  double most = 1;
  for (const Lengths& lengths : all) {
    most = std::max(most, num_result_tiles(statement, lengths));
  }
  return std::min({most, static_cast<double>(fineness.independent_tiles),
                   static_cast<double>(fewest_calls(statement, fineness))});
}

/// True if all partial results together are small against the operands, so that every call may make
/// one of its own.
bool has_small_partials(const StatementModel& statement, const Lengths& lengths) {
  const double partials = aggregation_cost(statement, lengths);
  return partials > 0 && partials * kSmallPartials <= join_cost(statement, lengths);
}

/// True if all partial results together are at most as many as the elements that would be read
/// again if the groups were cut.
bool saves_grouping(const StatementModel& statement, const Lengths& lengths) {
  const double partials = aggregation_cost(statement, lengths);
  return partials > 0 && partials <= num_grouped(statement);
}

/// True if at least `wanted` tiles of the result are made side by side. Each site adds up its parts
/// of a tile, so every worker of a site should have a tile there.
bool makes_side_by_side(const StatementModel& statement, const Lengths& lengths, double wanted,
                        const Fineness& fineness) {
  const double tiles = num_result_tiles(statement, lengths);
  const auto sites = static_cast<double>(fineness.sites);
  const double sums = std::min(sites, num_partials(statement, lengths));  // of one tile
  const double workers = static_cast<double>(fineness.workers) / sites;   // of a site
  return tiles >= wanted || (tiles >= std::min(wanted, workers) && tiles * sums >= wanted);
}

/// Keeps the alternatives whose calls need not wait for each other, if there are any.
void keep_parallel(std::vector<Lengths>& all, const StatementModel& statement, double wanted,
                   const Fineness& fineness) {
  std::erase_if(all, [&](const Lengths& lengths) {
    const bool is_parallel =
        makes_side_by_side(statement, lengths, wanted, fineness) ||
        (num_calls(statement, lengths) >= wanted &&
         (has_small_partials(statement, lengths) || saves_grouping(statement, lengths)));
    return !is_parallel;
  });
}

/// Returns the labels that are reduced within one tensor (those of a softmax, say), not contracted
/// between two, and not along a diagonal, of which a cut reads less.
std::vector<size_t> reduced_within_one(const StatementModel& statement) {
  std::vector<size_t> labels;
  for (const int32_t label : statement.over) {
    int64_t modes = 0;
    for (const Operand& operand : statement.operands) {
      modes += std::count(operand.labels.begin(), operand.labels.end(), label);
    }
    if (modes < 2) {
      labels.push_back(static_cast<size_t>(label));
    }
  }
  return labels;
}

/// True if another statement makes or reads a tensor within which such a label is reduced.
bool has_shared_rows(const StatementModel& statement, const std::vector<size_t>& labels) {
  return std::any_of(
      statement.operands.begin(), statement.operands.end(), [&](const Operand& operand) {
        return operand.is_shared && std::any_of(labels.begin(), labels.end(), [&](size_t label) {
                 return std::count(operand.labels.begin(), operand.labels.end(),
                                   static_cast<int32_t>(label)) > 0;
               });
      });
}

/// Returns, by alternative, the cost of having such labels in several pieces: 0 if whole rows would
/// make too few calls, or if no other statement is involved.
///
/// The work before and after a whole row can be done in the same call, which no count of moved
/// elements sees. The price is above what finer cuts save by moving less, and below the cost of
/// reading a file by columns.
std::vector<double> costs_of_handing_on(const std::vector<Lengths>& all,
                                        const StatementModel& statement) {
  const std::vector<size_t> labels = reduced_within_one(statement);
  std::vector<bool> is_whole;
  double most = 0;
  double most_whole = 0;
  for (const Lengths& lengths : all) {
    is_whole.push_back(std::all_of(labels.begin(), labels.end(), [&](size_t label) {
      return num_pieces(statement.extents[label], lengths[label]) == 1;
    }));
    most = std::max(most, num_calls(statement, lengths));
    most_whole = std::max(most_whole, is_whole.back() ? num_calls(statement, lengths) : 0);
  }
  const bool may_be_whole =
      most_whole >= kNearlyAsMany * most && has_shared_rows(statement, labels);
  const double price = may_be_whole ? kHandedOn * num_points(statement) : 0;
  std::vector<double> costs;
  for (const bool whole : is_whole) {
    costs.push_back(whole ? 0 : price);
  }
  return costs;
}

/// Returns, by alternative, the cost of having fewer calls than keep tiles in the cache.
std::vector<double> costs_of_reloading(const std::vector<Lengths>& all,
                                       const StatementModel& statement, const Fineness& fineness) {
  const double enough = kNearlyAsMany * static_cast<double>(fewest_calls(statement, fineness));
  std::vector<double> costs;
  for (const Lengths& lengths : all) {
    const double elements = join_cost(statement, lengths) + num_points(statement);
    costs.push_back(num_calls(statement, lengths) < enough ? kReloaded * elements : 0);
  }
  return costs;
}

/// Sorts by preference (see Alternatives).
void sort_by_preference(std::vector<Lengths>& all, const StatementModel& statement) {
  const auto key = [&](const Lengths& lengths) {
    std::vector<double> numbers = {num_partials(statement, lengths), num_calls(statement, lengths)};
    for (size_t mode = statement.out.size(); mode-- > 0;) {
      const auto label = static_cast<size_t>(statement.out[mode]);
      numbers.push_back(static_cast<double>(num_pieces(statement.extents[label], lengths[label])));
    }
    return numbers;
  };
  std::vector<std::pair<std::vector<double>, Lengths>> keyed;
  for (Lengths& lengths : all) {
    keyed.emplace_back(key(lengths), std::move(lengths));
  }
  std::sort(keyed.begin(), keyed.end());
  for (size_t number = 0; number < all.size(); ++number) {
    all[number] = std::move(keyed[number].second);
  }
}

/// Numbers the cuts that a tensor has in the alternatives, in order of appearance.
template <class ModesOf>
Cuts cuts_of(const std::vector<Lengths>& all, ModesOf modes_of) {
  Cuts cuts;
  std::map<Lengths, int32_t> number_of;
  for (const Lengths& lengths : all) {
    const Lengths modes = modes_of(lengths);
    const auto [entry, is_new] =
        number_of.emplace(modes, static_cast<int32_t>(cuts.lengths.size()));
    if (is_new) {
      cuts.lengths.push_back(modes);
    }
    cuts.class_of.push_back(entry->second);
  }
  return cuts;
}

/// Returns the costs of all classes of cuts.
template <class CostOf>
std::vector<double> costs_by_class(const Cuts& cuts, CostOf cost_of) {
  std::vector<double> costs;
  for (const Lengths& lengths : cuts.lengths) {
    costs.push_back(cost_of(lengths));
  }
  return costs;
}

/// Returns, by alternative, the communication between sites that divide the calls. Moves within a
/// site are free.
std::vector<double> costs_between_sites(const std::vector<Lengths>& all,
                                        const StatementModel& statement, const Fineness& fineness) {
  std::vector<double> costs(all.size(), 0);
  if (fineness.sites == 1) {
    return costs;
  }
  const SiteGrids grids(slice_of(statement), fineness.sites);
  for (size_t number = 0; number < all.size(); ++number) {
    const double seconds = grids.least_bytes(all[number]) / fineness.network.bytes_per_second;
    costs[number] = numbers_of(kWeightBetweenSites * seconds);
  }
  return costs;
}

double cost_of_alternative(const std::vector<double>& by_class, const Cuts& cuts,
                           size_t alternative) {
  return by_class[static_cast<size_t>(cuts.class_of[alternative])];
}

void add_reading(Alternatives& alternatives, const StatementModel& statement, size_t number,
                 const FileCosts& costs) {
  const std::vector<double> by_class =
      costs_by_class(alternatives.operands[number], [&](const Lengths& lengths) {
        return numbers_of(reading_estimate(statement.operands[number], lengths, costs).seconds);
      });
  for (size_t alternative = 0; alternative < alternatives.size(); ++alternative) {
    const auto lengths_of = [&](size_t operand) -> const Lengths& {
      const Cuts& cuts = alternatives.operands[operand];
      return cuts.lengths[static_cast<size_t>(cuts.class_of[alternative])];
    };
    if (!is_read_before(statement, number, lengths_of)) {
      alternatives.files[alternative] +=
          cost_of_alternative(by_class, alternatives.operands[number], alternative);
    }
  }
}

void add_files(Alternatives& alternatives, const StatementModel& statement,
               const FileCosts& costs) {
  for (size_t number = 0; number < statement.operands.size(); ++number) {
    add_reading(alternatives, statement, number, costs);
  }
  const std::vector<double> by_class =
      costs_by_class(alternatives.out, [&](const Lengths& lengths) {
        return numbers_of(gathering_estimate(statement, lengths, costs).seconds +
                          writing_estimate(statement, lengths, costs).seconds);
      });
  for (size_t alternative = 0; alternative < alternatives.size(); ++alternative) {
    alternatives.files[alternative] += cost_of_alternative(by_class, alternatives.out, alternative);
  }
}

}  // namespace

Alternatives alternatives_of(const StatementModel& statement, const Fineness& fineness) {
  std::vector<Lengths> all = all_lengths(statement, fineness);
  if (fineness.most_call_bytes > 0) {
    std::erase_if(all, [&](const Lengths& lengths) {
      return largest_call_bytes(statement, lengths) > fineness.most_call_bytes;
    });
  }
  const double wanted = fineness.is_forced ? 1 : wanted_tiles(all, statement, fineness);
  keep_parallel(all, statement, wanted, fineness);
  sort_by_preference(all, statement);
  Alternatives alternatives;
  for (const Lengths& lengths : all) {
    alternatives.join.push_back(join_cost(statement, lengths));
    alternatives.aggregation.push_back(aggregation_cost(statement, lengths));
    alternatives.merged_apart.push_back(!makes_side_by_side(statement, lengths, wanted, fineness));
  }
  alternatives.handed_on =
      fineness.is_forced ? std::vector<double>(all.size(), 0) : costs_of_handing_on(all, statement);
  alternatives.reloaded = fewer_products(statement, fineness).empty()
                              ? std::vector<double>(all.size(), 0)
                              : costs_of_reloading(all, statement, fineness);
  alternatives.between_sites = costs_between_sites(all, statement, fineness);
  const Shape result = result_shape(statement);
  alternatives.out = cuts_of(
      all, [&](const Lengths& lengths) { return mode_lengths(statement.out, result, lengths); });
  for (const Operand& operand : statement.operands) {
    alternatives.operands.push_back(
        cuts_of(all, [&](const Lengths& lengths) { return mode_lengths(operand, lengths); }));
  }
  alternatives.piece_lengths = std::move(all);
  alternatives.files.assign(alternatives.size(), 0);
  if (fineness.files) {
    add_files(alternatives, statement, *fineness.files);
  }
  return alternatives;
}

double fewest_call_bytes(const StatementModel& statement, const Fineness& fineness) {
  double fewest = std::numeric_limits<double>::infinity();
  for (const Lengths& lengths : all_lengths(statement, fineness)) {
    fewest = std::min(fewest, largest_call_bytes(statement, lengths));
  }
  return fewest;
}

}  // namespace tessera::optimizer::partition
