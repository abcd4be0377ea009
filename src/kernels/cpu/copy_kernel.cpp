#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "kernels/context.h"
#include "kernels/cpu/cost/statement_cost.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/cpu/walk/plain_access.h"
#include "kernels/cpu/walk/streamed_copy.h"
#include "kernels/cpu/walk/strided_copy.h"
#include "kernels/registry.h"

// copy: a result that consists of elements of one operand, in any order (a permutation, a part, a
// repetition).

namespace tessera::kernels::kernel_copy {

namespace {

/// Tiles of at most this share of the last cache are mostly placed in the memory of a tile that was
/// just written, and so are in a cache.
constexpr int64_t kShares = 2;

class PreparedCopy : public PreparedKernel {
 public:
  PreparedCopy(expr::TileStatement statement, const expr::Access& access, const Machine& machine)
      : statement_(std::move(statement)),
        read_{access},
        isa_(machine.isa),
        caches_(machine.caches) {}

  bool reads_once() const noexcept override { return true; }

  Status run(const KernelCall& call) const noexcept override {
    IterationSpace space;
    if (const Status status = lay_out(statement_, read_, call, space); status != Status::ok) {
      return status;
    }
    simplify(space);
    const Stream& source = space.streams[0];
    const int64_t size = size_of(source.dtype);
    const std::byte* const from = address_of(source);
    std::byte* const to = call.outputs[0].data;
    if (from == to) {
      return Status::ok;  // only a map that reads at its out labels has its operand's memory
    }
    const int64_t bytes = num_elements(call.outputs[0].shape) * size;
    if (bytes <= caches_.core_bytes) {
      copy_box(from, to, size, box_of(space));
    } else {
      stream_box(from, to, size, box_of(space), isa_, call.workspace,
                 bytes <= kShares * caches_.shared_bytes ? Fitting::caches : Fitting::memory);
    }
    return Status::ok;
  }

 private:
  static StridedBox box_of(const IterationSpace& space) {
    StridedBox box;
    for (int label = space.num_labels - 1; label >= 0; --label) {
      const auto number = static_cast<size_t>(label);
      box.add(space.length[number], space.streams[0].step[number], space.streams[1].step[number]);
    }
    return box;
  }

  static const std::byte* address_of(const Stream& stream) {
    const auto address = static_cast<intptr_t>(stream.origin);
    return reinterpret_cast<const std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
  }

  expr::TileStatement statement_;
  std::vector<Streamed> read_;
  Isa isa_;
  Caches caches_;
};

const expr::Access* only_access(const expr::TileStatement& statement) {
  const bool is_one = statement.bodies.size() == 1 && statement.bodies[0].nodes.size() == 1;
  return is_one ? std::get_if<expr::Access>(&statement.bodies[0].nodes[0].op) : nullptr;
}

/// True if the operand is read in another order than the result is written.
bool is_permuted(const expr::TileStatement& statement, const expr::Access& access) {
  auto next = access.index.begin();
  for (const expr::LabelNumber label : statement.out) {
    const auto reads = [=](const expr::Index& index) { return expr::mentions(index, label); };
    const auto found = std::find_if(next, access.index.end(), reads);
    if (found == access.index.end() && std::any_of(access.index.begin(), next, reads)) {
      return true;
    }
    next = found == access.index.end() ? next : found;
  }
  return false;
}

/// Returns the positions that a call walks by the label that one mode reads plainly, or 1.
int64_t length_of(const expr::Index& index, const CallShape& shape) {
  const std::optional<expr::LabelNumber> label = expr::plain_label(index);
  return label ? shape.ranges[static_cast<size_t>(*label)].length : 1;
}

/// Returns the rate of a transpose relative to a large one of f32, by the size of its elements and
/// the bytes that are contiguous in the operand or the result. Rows that stay rows are moved whole,
/// at a rate between that and a copy's. Measured: bench/limits, Zen 4, 2026-11.
double permuted_rate(const expr::TileStatement& statement, const expr::Access& access,
                     const CallShape& shape, const KernelRates& rates) {
  constexpr int64_t kShortestRow = 128;
  constexpr double kShareOfBytes = 0.7;
  struct Share {
    int64_t from_bytes;
    double share;
  };
  constexpr Share kOfRuns[] = {{4096, 1}, {48, 0.65}, {0, 0.4}};
  const int64_t unit = size_of(statement.bodies[0].nodes[0].dtype);
  const int64_t read = unit * length_of(access.index.back(), shape);
  const auto last = static_cast<size_t>(statement.out.back());
  const int64_t written = unit * shape.ranges[last].length;
  if (expr::mentions(access.index.back(), statement.out.back()) && written >= kShortestRow) {
    return (rates.permuted_bytes_per_second + rates.streamed_bytes_per_second) / 2;
  }
  const auto* const share =
      std::find_if(std::begin(kOfRuns), std::end(kOfRuns),
                   [&](const Share& some) { return std::min(read, written) >= some.from_bytes; });
  return rates.permuted_bytes_per_second * share->share * (unit == 1 ? kShareOfBytes : 1);
}

/// Returns the workspace. Arrays no larger than a cache are copied there directly, which takes
/// none: under a small budget all tiles together are smaller than that.
int64_t workspace_bytes(const expr::TileStatement& statement, const CallShape& shape,
                        const Machine& machine) {
  const int64_t element = size_of(statement.bodies[0].nodes[0].dtype);
  const int64_t bytes = num_elements(extents_of(statement.out, shape)) * element;
  return bytes <= machine.caches.core_bytes ? 0 : stream_workspace_bytes();
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  if (std::optional<Refusal> refusal = too_many_labels(program.labels.size())) {
    return std::move(*refusal);
  }
  const expr::TileStatement& statement = program.statements[0];
  const expr::Access* const access = only_access(statement);
  if (!expr::is_map(statement) || access == nullptr) {
    return Refusal{"it computes something"};
  }
  const KernelRates& rates = context.machine.rates;
  Cost cost;
  cost.bytes = bytes_moved(statement, shape);
  cost.seconds =
      rates.call_seconds + cost.bytes / (is_permuted(statement, *access)
                                             ? permuted_rate(statement, *access, shape, rates)
                                             : rates.streamed_bytes_per_second);
  return KernelPlan{cost, workspace_bytes(statement, shape, context.machine),
                    [statement, access = *access, &context] {
                      return std::make_shared<const PreparedCopy>(statement, access,
                                                                  context.machine);
                    }};
}

}  // namespace

void register_kernel(Registry& registry) {
  registry.add({"copy", {}, &read});
}

}  // namespace tessera::kernels::kernel_copy
