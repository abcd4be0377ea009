#include "optimizer/partition/model/cost.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace tessera::optimizer::partition {

namespace {

/// The overlaps of the pieces of two cuts of one mode, summed over the new pieces.
struct ModeOverlap {
  double travel = 0;    // length of the new piece, for every old piece that meets it
  double received = 0;  // lengths of the old pieces that meet it
  double resident = 0;  // length of an old piece within it
};

ModeOverlap overlap_of(int64_t extent, int64_t from, int64_t to) {
  if (from == to) {  // the most frequent case; every piece meets itself
    const auto all = static_cast<double>(extent);
    return {all, all, all};
  }
  ModeOverlap overlap;
  for (int64_t begin = 0; begin < extent; begin += to) {
    const int64_t end = std::min(extent, begin + to);
    const int64_t first = begin / from;
    const int64_t last = (end - 1) / from;
    overlap.travel += static_cast<double>((last - first + 1) * (end - begin));
    overlap.received += static_cast<double>(std::min(extent, (last + 1) * from) - first * from);
    const int64_t inner_begin = (begin + from - 1) / from * from;
    const int64_t inner_end = std::min(extent, inner_begin + from);
    if (inner_begin < end && inner_end <= end) {
      overlap.resident += static_cast<double>(inner_end - inner_begin);
    }
  }
  return overlap;
}

/// Multiplies the sums of one mode in: sums over tiles are products of the sums over each mode's
/// pieces.
void multiply(ModeOverlap& product, const ModeOverlap& mode) {
  product.travel *= mode.travel;
  product.received *= mode.received;
  product.resident *= mode.resident;
}

/// Returns the repartition cost: a new tile travels for every old one after the first; old tiles
/// come, except a resident one.
double cost_of(const ModeOverlap& overlap, double elements) {
  return (overlap.travel - elements) + (overlap.received - overlap.resident);
}

/// Returns the factor of one label in the elements that all calls together read: the sum over its
/// pieces of their elements in the modes that it cuts.
double sum_over_pieces(const Operand& operand, int32_t label, int64_t extent, int64_t length) {
  const auto read = [&](int64_t piece) {
    double elements = 1;
    for (size_t mode = 0; mode < operand.labels.size(); ++mode) {
      elements *= operand.labels[mode] == label
                      ? static_cast<double>(elements_read(operand, mode, piece))
                      : 1;
    }
    return elements;
  };
  const int64_t piece = std::min(extent, length);
  const int64_t num_full = piece == 0 ? 1 : extent / piece;
  const int64_t rest = piece == 0 ? 0 : extent % piece;
  return static_cast<double>(num_full) * read(piece) + (rest == 0 ? 0 : read(rest));
}

/// True if a mode reads windows of a computed tensor, which have to be put together.
bool has_pasted_windows(const Operand& operand, const std::vector<int64_t>& lengths,
                        const std::vector<int64_t>& extents) {
  for (size_t mode = 0; mode < operand.labels.size(); ++mode) {
    const auto label = static_cast<size_t>(operand.labels[mode]);
    if (is_window(operand, mode) && lengths[label] < extents[label]) {
      return operand.producer != kPreplaced;
    }
  }
  return false;
}

/// Counts, for each label, the modes of a tensor where it stands.
std::vector<int64_t> powers_of(const StatementModel& statement, const Operand& operand) {
  std::vector<int64_t> power(statement.extents.size(), 0);
  for (const int32_t label : operand.labels) {
    if (label != kWholeMode) {
      ++power[static_cast<size_t>(label)];
    }
  }
  return power;
}

double elements_received(const StatementModel& statement, const Operand& operand,
                         const std::vector<int64_t>& lengths) {
  double elements = 1;
  for (size_t mode = 0; mode < operand.labels.size(); ++mode) {
    elements *= operand.labels[mode] == kWholeMode ? static_cast<double>(operand.shape[mode]) : 1;
  }
  const std::vector<int64_t> power = powers_of(statement, operand);
  for (size_t label = 0; label < power.size(); ++label) {
    const int64_t extent = statement.extents[label];
    elements *= power[label] == 0
                    ? static_cast<double>(num_pieces(extent, lengths[label]))
                    : sum_over_pieces(operand, static_cast<int32_t>(label), extent, lengths[label]);
  }
  return elements;
}

double product_of(const StatementModel& statement, const std::vector<int32_t>& labels) {
  double product = 1;
  for (const int32_t label : labels) {
    product *= static_cast<double>(statement.extents[static_cast<size_t>(label)]);
  }
  return product;
}

/// Returns the number of calls that divides one tensor: first along the labels that stand at most
/// modes of it, while they have positions.
double calls_of_bytes(const StatementModel& statement, const Operand& operand, double call_bytes) {
  auto calls = static_cast<double>(operand.element_bytes) / call_bytes;
  for (const int64_t extent : operand.shape) {
    calls *= static_cast<double>(extent);
  }
  const std::vector<int64_t> power = powers_of(statement, operand);
  const int64_t most = power.empty() ? 1 : *std::max_element(power.begin(), power.end());
  if (most < 2) {
    return calls;
  }
  double positions = 1;
  for (size_t label = 0; label < power.size(); ++label) {
    positions *= power[label] == most ? static_cast<double>(statement.extents[label]) : 1;
  }
  const double diagonal = std::min(std::pow(calls, 1 / static_cast<double>(most)), positions);
  return diagonal * std::max(1.0, calls / std::pow(diagonal, static_cast<double>(most)));
}

}  // namespace

int64_t num_pieces(int64_t extent, int64_t length) {
  return extent == 0 ? 1 : (extent - 1) / length + 1;
}

double num_calls(const StatementModel& statement, const std::vector<int64_t>& lengths) {
  double calls = 1;
  for (size_t label = 0; label < lengths.size(); ++label) {
    calls *= static_cast<double>(num_pieces(statement.extents[label], lengths[label]));
  }
  return calls;
}

double num_partials(const StatementModel& statement, const std::vector<int64_t>& lengths) {
  double partials = 1;
  for (const int32_t over : statement.over) {
    const auto label = static_cast<size_t>(over);
    partials *= static_cast<double>(num_pieces(statement.extents[label], lengths[label]));
  }
  return partials;
}

double join_cost(const StatementModel& statement, const std::vector<int64_t>& lengths) {
  double cost = 0;
  for (const Operand& operand : statement.operands) {
    const double times = has_pasted_windows(operand, lengths, statement.extents) ? 2 : 1;
    cost += times * elements_received(statement, operand, lengths);
  }
  return cost;
}

double aggregation_cost(const StatementModel& statement, const std::vector<int64_t>& lengths) {
  return (num_partials(statement, lengths) - 1) * product_of(statement, statement.out) *
         static_cast<double>(statement.state_numbers);
}

double repartition_cost(const Shape& shape, std::span<const int64_t> from,
                        std::span<const int64_t> to) {
  double elements = 1;
  ModeOverlap all{1, 1, 1};
  for (size_t mode = 0; mode < shape.size(); ++mode) {
    elements *= static_cast<double>(shape[mode]);
    multiply(all, overlap_of(shape[mode], from[mode], to[mode]));
  }
  return cost_of(all, elements);
}

std::vector<double> repartition_costs(const Shape& shape,
                                      const std::vector<std::vector<int64_t>>& from,
                                      const std::vector<std::vector<int64_t>>& to) {
  std::vector<ModeOverlap> all(from.size() * to.size(), ModeOverlap{1, 1, 1});
  double elements = 1;
  for (size_t mode = 0; mode < shape.size(); ++mode) {
    elements *= static_cast<double>(shape[mode]);
    // Few lengths occur, so few overlaps do.
    std::map<std::pair<int64_t, int64_t>, ModeOverlap> overlaps;
    for (size_t row = 0; row < from.size(); ++row) {
      for (size_t column = 0; column < to.size(); ++column) {
        const auto [entry, is_new] = overlaps.try_emplace({from[row][mode], to[column][mode]});
        if (is_new) {
          entry->second = overlap_of(shape[mode], from[row][mode], to[column][mode]);
        }
        multiply(all[row * to.size() + column], entry->second);
      }
    }
  }
  std::vector<double> costs;
  costs.reserve(all.size());
  for (const ModeOverlap& overlap : all) {
    costs.push_back(cost_of(overlap, elements));
  }
  return costs;
}

double num_tiles(const Shape& shape, const std::vector<int64_t>& lengths) {
  double tiles = 1;
  for (size_t mode = 0; mode < shape.size(); ++mode) {
    const int64_t length = std::max<int64_t>(lengths[mode], 1);
    const int64_t pieces = (shape[mode] + length - 1) / length;
    tiles *= static_cast<double>(pieces);
  }
  return tiles;
}

FileEstimate reading_estimate(const Operand& operand, const std::vector<int64_t>& lengths,
                              const FileCosts& costs) {
  if (operand.producer != kPreplaced) {
    return {};
  }
  FileEstimate estimate = file_estimate_of_tiles(
      {operand.shape, operand.element_bytes, operand.order}, lengths, FileDirection::read, costs);
  estimate.seconds -=
      std::min(estimate.seconds, num_tiles(operand.shape, lengths) * costs.read_call_seconds);
  return estimate;
}

FileEstimate gathering_estimate(const StatementModel& statement,
                                const std::vector<int64_t>& lengths, const FileCosts& costs) {
  if (!statement.gather) {
    return {};
  }
  SourceGather gather = *statement.gather;
  const Shape shape = result_shape(statement);
  std::vector<int64_t> pieces = lengths;
  const auto first = pieces.begin() + static_cast<std::ptrdiff_t>(gather.mode);
  int64_t num_gathered = 1;
  for (size_t label = 0; label < gather.num_labels; ++label) {
    num_gathered *= shape[gather.mode + label];
  }
  gather.array.shape[gather.mode] = num_gathered;
  const auto behind = pieces.erase(first, first + static_cast<std::ptrdiff_t>(gather.num_labels));
  pieces.insert(behind, num_gathered);
  return gather_estimate_of_tiles(gather.array, gather.mode, pieces, costs);
}

FileEstimate writing_estimate(const StatementModel& statement, const std::vector<int64_t>& lengths,
                              const FileCosts& costs) {
  const auto times = static_cast<double>(statement.num_files);
  if (times == 0) {
    return {};
  }
  const Shape shape = result_shape(statement);
  const FileEstimate once =
      file_estimate_of_tiles({shape, statement.result_bytes, StorageOrder::row_major}, lengths,
                             FileDirection::write, costs);
  const double first_calls = num_tiles(shape, lengths) * costs.write_call_seconds;
  return {times * once.runs, times * std::max(0.0, once.seconds - first_calls)};
}

double numbers_of(double seconds) {
  return std::round(kNumbersPerSecond * seconds);
}

std::vector<int64_t> mode_lengths(const std::vector<int32_t>& labels, const Shape& shape,
                                  const std::vector<int64_t>& lengths) {
  std::vector<int64_t> modes;
  for (size_t mode = 0; mode < labels.size(); ++mode) {
    const int64_t extent = std::max<int64_t>(shape[mode], 1);
    modes.push_back(labels[mode] == kWholeMode
                        ? extent
                        : std::min(extent, lengths[static_cast<size_t>(labels[mode])]));
  }
  return modes;
}

std::vector<int64_t> mode_lengths(const Operand& operand, const std::vector<int64_t>& lengths) {
  std::vector<int64_t> modes = mode_lengths(operand.labels, operand.shape, lengths);
  for (size_t mode = 0; mode < modes.size(); ++mode) {
    if (is_window(operand, mode)) {
      const ModeReach& reach = operand.reach[mode];
      const auto extent = static_cast<double>(std::max<int64_t>(operand.shape[mode], 1));
      const auto length = static_cast<double>(lengths[static_cast<size_t>(operand.labels[mode])]);
      const double apart =
          length * static_cast<double>(reach.step) / static_cast<double>(reach.divisor);
      modes[mode] = static_cast<int64_t>(std::clamp(apart, 1.0, extent));
    }
  }
  return modes;
}

Shape result_shape(const StatementModel& statement) {
  Shape shape;
  for (const int32_t label : statement.out) {
    shape.push_back(statement.extents[static_cast<size_t>(label)]);
  }
  return shape;
}

double largest_call_bytes(const StatementModel& statement, const std::vector<int64_t>& lengths) {
  const auto piece = [&](int32_t label) {
    const auto number = static_cast<size_t>(label);
    return static_cast<double>(std::min(statement.extents[number], lengths[number]));
  };
  double bytes = static_cast<double>(statement.out_bytes);
  for (const int32_t label : statement.out) {
    bytes *= piece(label);
  }
  for (const Operand& operand : statement.operands) {
    double read = static_cast<double>(operand.element_bytes);
    for (size_t mode = 0; mode < operand.labels.size(); ++mode) {
      const int32_t label = operand.labels[mode];
      read *= static_cast<double>(elements_read(
          operand, mode, label == kWholeMode ? 0 : lengths[static_cast<size_t>(label)]));
    }
    bytes += read;
  }
  return bytes;
}

double num_points(const StatementModel& statement) {
  return product_of(statement, statement.out) * product_of(statement, statement.over);
}

double num_grouped(const StatementModel& statement) {
  return statement.num_groups > 1 ? num_points(statement) / statement.num_groups : 0;
}

double num_flops(const StatementModel& statement) {
  return num_points(statement) * statement.flops_per_point;
}

double calls_of_bytes(const StatementModel& statement, double call_bytes) {
  double calls =
      static_cast<double>(statement.out_bytes) * product_of(statement, statement.out) / call_bytes;
  for (const Operand& operand : statement.operands) {
    calls += calls_of_bytes(statement, operand, call_bytes);
  }
  return calls;
}

}  // namespace tessera::optimizer::partition
