#include "kernels/cpu/blocked/machine.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "base/overload.h"

namespace tessera::kernels {

namespace {

using FromConstant = BlockProgram::FromConstant;
using FromStream = BlockProgram::FromStream;
using FromParameter = BlockProgram::FromParameter;
using FromFunction = BlockProgram::FromFunction;

/// Elements by which a buffer of equal ones is filled: a whole vector of every type.
constexpr int64_t kFirst = 64;
static_assert(kBlock % kFirst == 0 && (kBlock & (kBlock - 1)) == 0);

/// Extends kFirst equal elements at the front of a buffer of kBlock to at least `count`: doubling
/// copies are several times as fast as writing one by one.
void repeat_first(DType type, void* buffer, int64_t count) noexcept {
  auto* const elements = static_cast<std::byte*>(buffer);
  for (int64_t written = kFirst; written < count; written *= 2) {
    const auto bytes = static_cast<size_t>(written * size_of(type));
    std::memcpy(elements + bytes, elements, bytes);
  }
}

}  // namespace

void BlockMachine::bind(const BlockProgram& program, const bool* uniform_streams, std::byte* memory,
                        int64_t longest) noexcept {
  program_ = &program;
  has_uniform_ = false;
  uniform_is_known_ = false;
  parameters_.fill(-1);
  for (int32_t number = 0; number < program.num_values(); ++number) {
    const auto value = static_cast<size_t>(number);
    if (const auto* parameter = std::get_if<FromParameter>(&program.values()[value].from)) {
      parameters_[static_cast<size_t>(parameter->position)] = number;
    }
    // True if it has one value in a whole block; and true if that changes between blocks.
    const auto [is_uniform, is_computed] =
        std::visit(Overload{[](const FromConstant&) { return std::pair(true, false); },
                            [&](const FromStream& from) {
                              const bool uniform = uniform_streams[from.stream];
                              return std::pair(uniform, uniform);
                            },
                            [](const FromParameter&) { return std::pair(false, false); },
                            [&](const FromFunction& from) {
                              const bool uniform = has_uniform_arguments(from);
                              return std::pair(uniform, uniform);
                            }},
                   program.values()[value].from);
    is_uniform_[value] = is_uniform;
    is_repeated_[value] = is_computed;
    has_uniform_ = has_uniform_ || is_computed;
  }
  note_reads_of_blocks();
  choose_part();
  assign_buffers(memory);
  write_constants(has_uniform_ ? kBlock : longest);
  const int32_t last = program.num_values() - 1;
  takes_target_ = !is_uniform_[static_cast<size_t>(last)] && program.results().back() == last &&
                  std::holds_alternative<FromFunction>(program.values().back().from);
}

/// Drops uniform values from those that are recomputed once for a block, unless other values than
/// uniform ones read them, or they are results.
void BlockMachine::note_reads_of_blocks() noexcept {
  std::array<bool, kMaxValues> is_read{};
  const auto note = [&](int32_t value) { is_read[static_cast<size_t>(value)] = true; };
  for (int32_t value = 0; value < program_->num_values(); ++value) {
    const auto* from =
        std::get_if<FromFunction>(&program_->values()[static_cast<size_t>(value)].from);
    if (from != nullptr && !is_uniform_[static_cast<size_t>(value)] && !from->reads_firsts) {
      std::for_each_n(from->arguments.begin(), from->num_arguments, note);
    }
  }
  std::for_each(program_->results().begin(), program_->results().end(), note);
  std::transform(is_read.begin(), is_read.begin() + program_->num_values(), is_repeated_.begin(),
                 is_repeated_.begin(), std::logical_and<>());
}

bool BlockMachine::is_result(int32_t value) const noexcept {
  return program_->values()[static_cast<size_t>(value)].last_use == program_->num_values();
}

/// Chooses the part. Intermediate values have the same place in every part, because processors
/// confuse memory at the same offset in a page with the memory that is being written.
void BlockMachine::choose_part() noexcept {
  int functions = 0;
  int64_t widest = 1;
  bool may_be_cut = program_->takes_long();
  for (int32_t number = 0; number < program_->num_values(); ++number) {
    const auto value = static_cast<size_t>(number);
    const BlockProgram::Value& of = program_->values()[value];
    const auto* from = std::get_if<FromFunction>(&of.from);
    const bool stays = is_uniform_[value] || (from != nullptr && !is_result(number));
    step_[value] = stays ? 0 : size_of(of.type);
    if (!is_uniform_[value]) {
      functions += from != nullptr ? 1 : 0;
      widest = std::max(widest, size_of(of.type));
      may_be_cut = may_be_cut && (from == nullptr || !from->reads_firsts);
    }
  }
  part_ = may_be_cut && functions > 1 ? kPartBytes / widest : 0;
}

bool BlockMachine::computes_result_alone() const {
  int functions = 0;
  for (int32_t value = 0; value < program_->num_values(); ++value) {
    const auto number = static_cast<size_t>(value);
    const bool is_function = std::holds_alternative<FromFunction>(program_->values()[number].from);
    functions += is_function && !is_uniform_[number] ? 1 : 0;
  }
  return takes_target_ && functions == 1;
}

bool BlockMachine::has_uniform_arguments(const FromFunction& from) const noexcept {
  return std::all_of(
      from.arguments.begin(), from.arguments.begin() + from.num_arguments,
      [this](int32_t argument) { return is_uniform_[static_cast<size_t>(argument)]; });
}

void BlockMachine::assign_buffers(std::byte* memory) noexcept {
  num_free_ = 0;
  std::byte* next = memory;
  for (int32_t value = 0; value < program_->num_values(); ++value) {
    std::visit(Overload{[](const FromParameter&) {},  // the caller's
                        [&](const FromFunction& from) {
                          // An argument's buffer is free for the result: both are read and written
                          // element by element.
                          for (int32_t argument = 0; argument < from.num_arguments; ++argument) {
                            release(from.arguments[static_cast<size_t>(argument)], value);
                          }
                          buffers_[static_cast<size_t>(value)] = buffer_for(value, next);
                        },
                        [&](const FromConstant&) {
                          buffers_[static_cast<size_t>(value)] = buffer_for(value, next);
                        },
                        [&](const FromStream&) {
                          buffers_[static_cast<size_t>(value)] = buffer_for(value, next);
                        }},
               program_->values()[static_cast<size_t>(value)].from);
  }
}

void BlockMachine::write_constants(int64_t count) noexcept {
  for (int32_t number = 0; number < program_->num_values(); ++number) {
    const auto value = static_cast<size_t>(number);
    const BlockProgram::Value& of = program_->values()[value];
    if (const auto* constant = std::get_if<FromConstant>(&of.from)) {
      fill_literal(constant->value, of.type, buffers_[value], kFirst);
      repeat_first(of.type, buffers_[value], count);
      pointers_[value] = buffers_[value];
    }
  }
}

void BlockMachine::release(int32_t value, int32_t now) noexcept {
  const BlockProgram::Value& released = program_->values()[static_cast<size_t>(value)];
  const bool is_walked = std::visit(  // constants stay, parameters are the caller's
      Overload{[](const FromConstant&) { return false; }, [](const FromStream&) { return true; },
               [](const FromParameter&) { return false; },
               [](const FromFunction&) { return true; }},
      released.from);
  if (!is_walked || is_uniform_[static_cast<size_t>(value)] || released.last_use != now) {
    return;
  }
  void* const buffer = buffers_[static_cast<size_t>(value)];
  for (int32_t number = 0; number < num_free_; ++number) {
    if (free_[static_cast<size_t>(number)].buffer == buffer) {
      return;  // both arguments are the same value
    }
  }
  free_[static_cast<size_t>(num_free_++)] = {size_of(released.type), buffer};
}

void* BlockMachine::buffer_for(int32_t value, std::byte*& next) noexcept {
  const int64_t element_size = size_of(program_->values()[static_cast<size_t>(value)].type);
  // A value at one place for all parts would overwrite a result.
  const bool may_share = part_ == 0 || !is_result(value);
  if (may_share && !is_uniform_[static_cast<size_t>(value)]) {
    for (int32_t number = num_free_ - 1; number >= 0; --number) {
      if (free_[static_cast<size_t>(number)].element_size == element_size) {
        void* const buffer = free_[static_cast<size_t>(number)].buffer;
        free_[static_cast<size_t>(number)] = free_[static_cast<size_t>(--num_free_)];
        return buffer;
      }
    }
  }
  void* const buffer = next;
  next += kBlock * element_size;
  return buffer;
}

void BlockMachine::set_parameter(int32_t position, const void* buffer) noexcept {
  const int32_t value = parameters_[static_cast<size_t>(position)];
  if (value >= 0) {
    pointers_[static_cast<size_t>(value)] = buffer;
  }
}

Status BlockMachine::compute(int32_t value, Part part) noexcept {
  const auto address_in = [&](size_t number) {
    return static_cast<const std::byte*>(pointers_[number]) + part.first * step_[number];
  };
  const auto& from = std::get<FromFunction>(program_->values()[static_cast<size_t>(value)].from);
  const void* arguments[std::tuple_size_v<decltype(from.arguments)>];
  for (int32_t argument = 0; argument < from.num_arguments; ++argument) {
    const auto read = static_cast<size_t>(from.arguments[static_cast<size_t>(argument)]);
    arguments[argument] = address_in(read);
  }
  return from.function(arguments, const_cast<std::byte*>(address_in(static_cast<size_t>(value))),
                       part.count);
}

/// Computes uniform values for a few positions, and repeats them for readers of a whole block.
Status BlockMachine::run_uniform(const BlockView* views) noexcept {
  bool changed = !uniform_is_known_;
  for (int32_t value = 0; value < program_->num_values(); ++value) {
    const auto* stream =
        std::get_if<FromStream>(&program_->values()[static_cast<size_t>(value)].from);
    if (stream != nullptr && is_uniform_[static_cast<size_t>(value)]) {
      const auto number = static_cast<size_t>(stream->stream);
      changed = changed || uniform_origin_[number] != views[number].origin;
      uniform_origin_[number] = views[number].origin;
    }
  }
  uniform_is_known_ = true;
  for (int32_t value = 0; changed && value < program_->num_values(); ++value) {
    const auto number = static_cast<size_t>(value);
    if (!is_uniform_[number]) {
      continue;
    }
    const Status status =
        std::visit(Overload{[](const FromConstant&) { return Status::ok; },  // written by bind()
                            [&](const FromStream& from) {
                              pointers_[number] = buffers_[number];
                              splat_block(views[from.stream], buffers_[number], kFirst);
                              return Status::ok;
                            },
                            [](const FromParameter&) { return Status::ok; },  // is never uniform
                            [&](const FromFunction&) {
                              pointers_[number] = buffers_[number];
                              return compute(value, {0, kFirst});
                            }},
                   program_->values()[number].from);
    if (status != Status::ok) {
      return status;
    }
  }
  for (int32_t value = 0; changed && value < program_->num_values(); ++value) {
    const auto number = static_cast<size_t>(value);
    if (is_repeated_[number]) {
      repeat_first(program_->values()[number].type, buffers_[number], kBlock);
    }
  }
  return Status::ok;
}

Status BlockMachine::run(const BlockView* views, int64_t count, void* target,
                         uint16_t* staging) noexcept {
  place(views);
  return run_placed(views, count, target, staging);
}

void BlockMachine::place(const BlockView* views) noexcept {
  const bool has_one_result = program_->results().size() == 1;
  runs_in_parts_ = part_ > 0;
  for (int32_t number = 0; number < program_->num_values(); ++number) {
    const auto value = static_cast<size_t>(number);
    const BlockProgram::Value& of = program_->values()[value];
    if (const auto* stream = std::get_if<FromStream>(&of.from)) {
      // One of several results may be stored over the memory that another one is read from, so it
      // is copied.
      const bool may_stay = has_one_result || of.last_use != program_->num_values();
      is_in_place_[value] = may_stay && !is_uniform_[value] && in_place(views[stream->stream]);
      runs_in_parts_ = runs_in_parts_ && (is_in_place_[value] || is_uniform_[value]);
    }
  }
}

Status BlockMachine::run_placed(const BlockView* views, int64_t count, void* target,
                                uint16_t* staging) noexcept {
  if (has_uniform_) {
    if (const Status status = run_uniform(views); status != Status::ok) {
      return status;
    }
  }
  const int64_t part = runs_in_parts_ ? part_ : count;
  int64_t first = 0;
  do {
    const int64_t length = std::min(part, count - first);
    if (const Status status = run_part(views, {first, length}, target, staging);
        status != Status::ok) {
      return status;
    }
    first += part;
  } while (first < count);
  return Status::ok;
}

/// Runs a part. The first one finds the places of all values of the block.
Status BlockMachine::run_part(const BlockView* views, Part part, void* target,
                              uint16_t* staging) noexcept {
  const int32_t num_values = program_->num_values();
  for (int32_t value = 0; value < num_values; ++value) {
    const auto number = static_cast<size_t>(value);
    if (is_uniform_[number]) {
      continue;
    }
    const Status status = std::visit(
        Overload{[](const FromConstant&) { return Status::ok; },  // is always uniform
                 [&](const FromStream& from) {
                   if (part.first == 0) {
                     load(value, views[from.stream], staging);
                   }
                   return Status::ok;
                 },
                 [](const FromParameter&) { return Status::ok; },  // set by set_parameter()
                 [&](const FromFunction&) {
                   const bool is_last = value + 1 == num_values;
                   pointers_[number] = target != nullptr && is_last ? target : buffers_[number];
                   return compute(value, part);
                 }},
        program_->values()[number].from);
    if (status != Status::ok) {
      return status;
    }
  }
  return Status::ok;
}

void BlockMachine::load(int32_t value, const BlockView& view, uint16_t* staging) noexcept {
  const auto number = static_cast<size_t>(value);
  pointers_[number] = is_in_place_[number] ? address_of(view) : buffers_[number];
  if (!is_in_place_[number]) {
    load_block(view, buffers_[number], staging);
  }
}

}  // namespace tessera::kernels
