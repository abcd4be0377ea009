#include "optimizer/partition/alternatives.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "optimizer/partition/cost.h"
#include "optimizer/partition/viable.h"

namespace tessera::optimizer::partition {

namespace {

using Lengths = std::vector<int64_t>;  // by label

/// Vectors that are looked at for a statement; fewer where it has many labels, as the tables of its
/// edges have a number for every pair.
constexpr size_t kMostVectors = 1024;
constexpr size_t kMostVectorsOfManyLabels = 256;
constexpr size_t kManyLabels = 8;
/// A part of the calls that were asked for that will do as well.
constexpr double kNearlyAsMany = 0.9;

/// What is asked of a number of pieces: exactly that many, or any divisor from the fewest on.
std::vector<int64_t> allowed_products(const Statement& statement, const Demand& demand) {
  std::vector<int64_t> products = {demand.pieces};
  const int64_t fewest = fewest_calls(statement, demand);
  for (int64_t product = fewest; product < demand.pieces; ++product) {
    if (demand.pieces % product == 0) {
      products.push_back(product);
    }
  }
  return products;
}

std::vector<Lengths> all_lengths(const Statement& statement, const Demand& demand) {
  const Statement slice = slice_of(statement);
  std::vector<Cuttable> labels;
  for (size_t label = 0; label < slice.extents.size(); ++label) {
    labels.push_back({slice.extents[label], slice.whole[label]});
  }
  const std::vector<int32_t> order = labels_by_worth(slice);
  const size_t most = labels.size() > kManyLabels ? kMostVectorsOfManyLabels : kMostVectors;
  std::vector<Lengths> all;
  for (const int64_t product : allowed_products(statement, demand)) {
    if (all.size() >= most) {
      break;
    }
    for (const std::vector<int64_t>& vector :
         viable_vectors(labels, product, order, static_cast<int64_t>(most))) {
      Lengths lengths;
      for (size_t label = 0; label < vector.size(); ++label) {
        const int64_t extent = std::max<int64_t>(slice.extents[label], 1);
        lengths.push_back((extent - 1) / vector[label] + 1);
      }
      all.push_back(std::move(lengths));
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

double num_result_tiles(const Statement& statement, const Lengths& lengths) {
  return num_calls(statement, lengths) / num_partials(statement, lengths);
}

/// Leaves those with enough tiles to make independently, where there are any.
void keep_parallel(std::vector<Lengths>& all, const Statement& statement, const Demand& demand) {
  double most = 1;
  for (const Lengths& lengths : all) {
    most = std::max(most, num_result_tiles(statement, lengths));
  }
  const double needed = std::min({most, static_cast<double>(demand.workers),
                                  static_cast<double>(fewest_calls(statement, demand))});
  std::erase_if(
      all, [&](const Lengths& lengths) { return num_result_tiles(statement, lengths) < needed; });
}

/// The labels that are reduced within one tensor, as those of a softmax are, not contracted between
/// two, and not along a diagonal, of which a cut reads less.
std::vector<size_t> reduced_within_one(const Statement& statement) {
  std::vector<size_t> labels;
  for (const int32_t label : statement.over) {
    int64_t modes = 0;
    for (const Use& use : statement.uses) {
      modes += std::count(use.labels.begin(), use.labels.end(), label);
    }
    if (modes < 2) {
      labels.push_back(static_cast<size_t>(label));
    }
  }
  return labels;
}

/// Leaves those that have such labels in one piece, where they have as many calls as any: what
/// comes before and after a whole row can be done with it in one call, which no count of what moves
/// sees.
void keep_rows_whole(std::vector<Lengths>& all, const Statement& statement) {
  const std::vector<size_t> labels = reduced_within_one(statement);
  const auto is_whole = [&](const Lengths& lengths) {
    return std::all_of(labels.begin(), labels.end(), [&](size_t label) {
      return num_pieces(statement.extents[label], lengths[label]) == 1;
    });
  };
  double most = 0;
  double most_whole = 0;
  for (const Lengths& lengths : all) {
    most = std::max(most, num_calls(statement, lengths));
    most_whole = std::max(most_whole, is_whole(lengths) ? num_calls(statement, lengths) : 0);
  }
  if (most_whole >= kNearlyAsMany * most) {
    std::erase_if(all, [&](const Lengths& lengths) { return !is_whole(lengths); });
  }
}

/// Sorts by preference (see Alternatives).
void sort_by_preference(std::vector<Lengths>& all, const Statement& statement) {
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

/// Numbers the cuts that a tensor has in the alternatives, in the order in which they come.
Cuts cuts_of(const std::vector<Lengths>& all, const std::vector<int32_t>& labels,
             const Shape& shape) {
  Cuts cuts;
  std::map<Lengths, int32_t> number_of;
  for (const Lengths& lengths : all) {
    Lengths modes;
    for (size_t mode = 0; mode < labels.size(); ++mode) {
      const int64_t extent = std::max<int64_t>(shape[mode], 1);
      modes.push_back(labels[mode] == kWholeMode
                          ? extent
                          : std::min(extent, lengths[static_cast<size_t>(labels[mode])]));
    }
    const auto [entry, is_new] =
        number_of.emplace(modes, static_cast<int32_t>(cuts.lengths.size()));
    if (is_new) {
      cuts.lengths.push_back(modes);
    }
    cuts.class_of.push_back(entry->second);
  }
  return cuts;
}

}  // namespace

Alternatives alternatives_of(const Statement& statement, const Demand& demand) {
  std::vector<Lengths> all = all_lengths(statement, demand);
  if (demand.most_call_bytes > 0) {
    std::erase_if(all, [&](const Lengths& lengths) {
      return largest_call_bytes(statement, lengths) > demand.most_call_bytes;
    });
  }
  if (!demand.is_forced) {
    keep_rows_whole(all, statement);
    keep_parallel(all, statement, demand);
  }
  sort_by_preference(all, statement);
  Alternatives alternatives;
  for (const Lengths& lengths : all) {
    alternatives.join.push_back(join_cost(statement, lengths));
    alternatives.aggregation.push_back(aggregation_cost(statement, lengths));
  }
  Shape out_shape;
  for (const int32_t label : statement.out) {
    out_shape.push_back(statement.extents[static_cast<size_t>(label)]);
  }
  alternatives.out = cuts_of(all, statement.out, out_shape);
  for (const Use& use : statement.uses) {
    alternatives.uses.push_back(cuts_of(all, use.labels, use.shape));
  }
  alternatives.piece_lengths = std::move(all);
  return alternatives;
}

double fewest_call_bytes(const Statement& statement, const Demand& demand) {
  double fewest = std::numeric_limits<double>::infinity();
  for (const Lengths& lengths : all_lengths(statement, demand)) {
    fewest = std::min(fewest, largest_call_bytes(statement, lengths));
  }
  return fewest;
}

}  // namespace tessera::optimizer::partition
