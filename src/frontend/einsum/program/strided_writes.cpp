#include "frontend/einsum/program/strided_writes.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/ranges.h>

#include "expr/function_ids.h"
#include "frontend/einsum/expression/builder.h"
#include "ir/einsum/graph.h"

namespace tessera::frontend {

namespace {

using Wide = __int128;  // wide enough for every count of elements

/// Returns the indices of an element that both write; empty if there is none.
std::string element_of_both(const StridedWrite& a, const StridedWrite& b) {
  std::vector<int64_t> element;
  for (size_t mode = 0; mode < a.modes.size(); ++mode) {
    const std::optional<int64_t> position = first_common(a.modes[mode], b.modes[mode]);
    if (!position) {
      return "";
    }
    element.push_back(*position);
  }
  return fmt::format("{}", fmt::join(element, ","));
}

Wide num_elements(const StridedWrite& write) {
  Wide elements = 1;
  for (const StridedPositions& mode : write.modes) {
    elements *= mode.length;
  }
  return elements;
}

/// A check of a tensor's writes; faults are reported at the statement that shows them.
class WrittenShape {
 public:
  WrittenShape(const std::string& tensor, const std::vector<StridedWrite>& writes,
               Diagnostics& findings)
      : tensor_(tensor), writes_(writes), findings_(findings) {}

  std::optional<Shape> find() {
    for (size_t mode = 0; mode < writes_.front().modes.size() && !has_failed_; ++mode) {
      shape_.push_back(extent_of(mode));
    }
    if (!has_failed_) {
      check_written_once();
    }
    if (!has_failed_) {
      check_all_written();
    }
    return has_failed_ ? std::nullopt : std::optional(std::move(shape_));
  }

 private:
  void report(const StridedWrite& at, std::string message, std::string help = "",
              std::vector<SourceSpan> others = {}) {
    has_failed_ = true;
    findings_.add(
        {ErrorKind::user, at.span, std::move(message), std::move(help), std::move(others)});
  }

  int64_t extent_of(size_t mode) {
    const StridedWrite* says = nullptr;
    const StridedWrite* last = &writes_.front();
    for (const StridedWrite& write : writes_) {
      const StridedPositions& at = write.modes[mode];
      if (at.length > 0 && lowest(at) < 0) {
        report(write, fmt::format("{} is written at the position {}", tensor_, lowest(at)));
      }
      last = end_of(write, mode) > end_of(*last, mode) ? &write : last;
      if (!write.extents[mode]) {
        continue;
      }
      if (says != nullptr && says->extents[mode] != write.extents[mode]) {
        report(write,
               fmt::format("{} has {} positions here and {} in another statement", tensor_,
                           *write.extents[mode], *says->extents[mode]),
               "", {says->span});
      }
      says = &write;
    }
    const int64_t end = end_of(*last, mode);
    if (says != nullptr && end > *says->extents[mode]) {
      report(*last, fmt::format("{} has {} positions, and is written at the position {}", tensor_,
                                *says->extents[mode], end - 1));
    }
    return says != nullptr ? *says->extents[mode] : end;
  }

  static int64_t end_of(const StridedWrite& write, size_t mode) {
    const StridedPositions& at = write.modes[mode];
    return at.length > 0 ? highest(at) + 1 : 0;
  }

  void check_written_once() {
    for (size_t number = 0; number < writes_.size(); ++number) {
      for (size_t before = 0; before < number; ++before) {
        const std::string element = element_of_both(writes_[before], writes_[number]);
        if (!element.empty()) {
          report(writes_[number],
                 fmt::format("{}[{}] is written by two statements", tensor_, element),
                 "every element is written once", {writes_[before].span});
          return;
        }
      }
    }
  }

  void check_all_written() {
    Wide whole = 1;
    for (const int64_t extent : shape_) {
      whole *= extent;
    }
    Wide written = 0;
    for (const StridedWrite& write : writes_) {
      written += num_elements(write);
    }
    if (written != whole) {
      report(writes_.back(),
             fmt::format("{} has {} elements, and its statements write {} of them", tensor_,
                         static_cast<int64_t>(whole), static_cast<int64_t>(written)),
             fmt::format("write the others too: {0}[2*i] = x[i] and {0}[2*i + 1] = 0 * x[i]",
                         tensor_));
    }
  }

  const std::string& tensor_;
  const std::vector<StridedWrite>& writes_;
  Diagnostics& findings_;
  Shape shape_;
  bool has_failed_ = false;
};

/// A vertex in the making whose body chooses between writes by the position.
class JoinedWrites {
 public:
  JoinedWrites(const std::vector<StridedWrite>& writes, const Shape& shape,
               const einsum::Graph& graph, const Vocabulary& vocabulary)
      : writes_(writes), shape_(shape), graph_(graph), body_(vocabulary) {}

  einsum::Vertex make() && {
    Value joined = read(writes_.size() - 1);
    for (size_t number = writes_.size() - 1; number-- > 0;) {
      const std::optional<Value> is_here = is_at(writes_[number]);
      joined =
          is_here ? body_.call(expr::id::kWhere, {*is_here, read(number), joined}) : read(number);
    }
    einsum::EinSum op;
    einsum::Vertex vertex;
    const einsum::Vertex& first = graph_.at(writes_[0].vertex);
    for (size_t mode = 0; mode < shape_.size(); ++mode) {
      op.labels.push_back({first.labels[mode], shape_[mode]});
      op.out.push_back(static_cast<expr::LabelNumber>(mode));
    }
    op.body = body_.finish(joined);
    vertex.labels = first.labels;
    vertex.type = {op.body.dtype(), shape_};
    vertex.op = std::move(op);
    for (const StridedWrite& write : writes_) {
      vertex.operands.push_back(write.vertex);
    }
    return vertex;
  }

 private:
  /// Returns the value that a statement wrote, at the positions of that statement; 0 elsewhere.
  Value read(size_t number) {
    const StridedWrite& write = writes_[number];
    const ArrayType& type = graph_.at(write.vertex).type;
    expr::Access access{static_cast<int32_t>(number), {}};
    for (size_t mode = 0; mode < shape_.size(); ++mode) {
      if (type.shape[mode] == 0) {
        return body_.cast(body_.number(int64_t{0}), type.dtype);
      }
      access.index.push_back(index_of(write.modes[mode], mode));
    }
    return body_.access(std::move(access), type.dtype);
  }

  expr::Index index_of(const StridedPositions& at, size_t mode) const {
    const auto label = static_cast<expr::LabelNumber>(mode);
    if (is_whole(at, mode)) {
      return expr::plain(label);
    }
    const int64_t sign = at.stride > 0 ? 1 : -1;
    return expr::affine(
        {{{label, sign}}, -sign * at.begin, sign * at.stride, expr::Pad{int64_t{0}}});
  }

  bool is_whole(const StridedPositions& at, size_t mode) const {
    return at.begin == 0 && at.stride == 1 && at.length == shape_[mode];
  }

  /// Returns true at the positions of a statement; nothing if all positions are its own.
  std::optional<Value> is_at(const StridedWrite& write) {
    std::optional<Value> all;
    for (size_t mode = 0; mode < shape_.size(); ++mode) {
      if (is_whole(write.modes[mode], mode)) {
        continue;
      }
      const Value position = body_.index_of(static_cast<expr::LabelNumber>(mode));
      for (const Value& condition : conditions(write.modes[mode], position, shape_[mode])) {
        all = all ? body_.call(expr::id::kLogicalAnd, {*all, condition}) : condition;
      }
    }
    return all;
  }

  std::vector<Value> conditions(const StridedPositions& at, const Value& position, int64_t extent) {
    if (at.length == 0) {
      return {body_.call(expr::id::kLess, {position, body_.number(int64_t{0})})};
    }
    std::vector<Value> conditions;
    const int64_t step = std::abs(at.stride);
    if (step > 1) {
      const Value rest = body_.call(expr::id::kRemainder, {position, body_.number(step)});
      conditions.push_back(body_.call(expr::id::kEqual, {rest, body_.number(lowest(at) % step)}));
    }
    if (lowest(at) >= step) {
      conditions.push_back(body_.call(expr::id::kLess, {body_.number(lowest(at) - 1), position}));
    }
    if (highest(at) + step < extent) {
      conditions.push_back(body_.call(expr::id::kLess, {position, body_.number(highest(at) + 1)}));
    }
    return conditions;
  }

  const std::vector<StridedWrite>& writes_;
  const Shape& shape_;
  const einsum::Graph& graph_;
  ExpressionBuilder body_;
};

}  // namespace

StridedPositions positions_of(const LeftMode& mode, const std::vector<StatementLabel>& labels) {
  const auto extent_of = [&](LabelIndex label) {
    return labels[static_cast<size_t>(label)].extent.value_or(0);
  };
  Wide begin = mode.place.offset;
  for (const IndexTerm& size : mode.place.sizes) {
    begin += Wide{size.coefficient} * extent_of(size.label);
  }
  const IndexTerm& term = mode.place.labels.front();
  const int64_t length = extent_of(term.label);
  const Wide end = begin + Wide{term.coefficient} * length;
  TESSERA_USER_CHECK(std::max({begin, -begin, end, -end}) < kMostStridedPosition,
                     "this index grows beyond 2^60");
  return {static_cast<int64_t>(begin), term.coefficient, length};
}

std::optional<Shape> shape_of_writes(const std::string& tensor,
                                     const std::vector<StridedWrite>& writes,
                                     Diagnostics& findings) {
  return WrittenShape(tensor, writes, findings).find();
}

einsum::Vertex join_writes(const std::vector<StridedWrite>& writes, const Shape& shape,
                           const einsum::Graph& graph, const Vocabulary& vocabulary) {
  return JoinedWrites(writes, shape, graph, vocabulary).make();
}

}  // namespace tessera::frontend
