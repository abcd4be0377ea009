#include "kernels/generated/llvm/merge_loop.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "kernels/generated/llvm/element_values.h"
#include "machine/isa.h"

namespace tessera::kernels::generated {

namespace {

class MergeWriter {
 public:
  MergeWriter(const Request& request, llvm::Module& module)
      : merge_(request.merge),
        isa_(static_cast<Isa>(request.isa)),
        builder_(module.getContext()),
        function_(new_block_function(module, builder_)),
        values_(request, builder_, *function_),
        type_(values_.result_type()),
        num_vectors_(static_cast<unsigned>(kMergedLanes) / values_.num_elements()) {}

  /// Writes groups of at most kMergedBlock elements, each of whole lanes, then the rest.
  void write() {
    llvm::BasicBlock* const entry = block("entry");
    llvm::BasicBlock* const groups = block("groups");
    llvm::BasicBlock* const group = block("group");
    llvm::BasicBlock* const rest = block("rest");
    builder_.SetInsertPoint(entry);
    values_.begin();
    llvm::Value* const count = function_->getArg(2);
    llvm::Value* const whole = builder_.CreateAnd(count, builder_.getInt64(-kMergedLanes));
    builder_.CreateBr(groups);
    builder_.SetInsertPoint(groups);
    llvm::PHINode* const element = builder_.CreatePHI(builder_.getInt64Ty(), 3);
    llvm::PHINode* const stored = builder_.CreatePHI(builder_.getInt64Ty(), 3);
    element->addIncoming(builder_.getInt64(0), entry);
    stored->addIncoming(builder_.getInt64(0), entry);
    builder_.CreateCondBr(builder_.CreateICmpSLT(element, whole), group, rest);
    builder_.SetInsertPoint(group);
    write_group(element, stored, whole, groups);
    builder_.SetInsertPoint(rest);
    write_rest(element, stored, rest);
  }

 private:
  using Lanes = std::vector<llvm::Value*>;

  llvm::BasicBlock* block(const char* name) {
    return llvm::BasicBlock::Create(builder_.getContext(), name, function_);
  }
  llvm::Value* beyond(llvm::Value* element, int64_t count) {
    return builder_.CreateAdd(element, builder_.getInt64(static_cast<uint64_t>(count)));
  }
  int64_t at_once() const { return values_.num_elements(); }

  /// Returns the neutral element: merged with any number it gives that number, bit by bit.
  llvm::Constant* neutral() {
    llvm::VectorType* const vector = values_.steps().vector_of(type_);
    return is_float(type_) ? neutral_float(vector) : neutral_integer(vector);
  }

  llvm::Constant* neutral_float(llvm::VectorType* vector) const {
    switch (merge_) {
      case Operation::add:  // 0 + -0 is 0
        return llvm::ConstantFP::getNegativeZero(vector);
      case Operation::multiply:
        return llvm::ConstantFP::get(vector, 1.0);
      default:
        return llvm::ConstantFP::getInfinity(vector, merge_ == Operation::maximum);
    }
  }

  llvm::Constant* neutral_integer(llvm::VectorType* vector) const {
    const unsigned bits = vector->getScalarSizeInBits();
    const bool is_signed = is_signed_integer(type_);
    switch (merge_) {
      case Operation::add:
        return llvm::Constant::getNullValue(vector);
      case Operation::multiply:
        return llvm::ConstantInt::get(vector, 1);
      case Operation::minimum:
        return llvm::ConstantInt::get(vector, is_signed ? llvm::APInt::getSignedMaxValue(bits)
                                                        : llvm::APInt::getMaxValue(bits));
      default:
        return llvm::ConstantInt::get(vector, is_signed ? llvm::APInt::getSignedMinValue(bits)
                                                        : llvm::APInt::getMinValue(bits));
    }
  }

  /// True if AVX-512 has an instruction for extremes of whole registers. It prefers a number to a
  /// NaN, so NaN is looked for separately.
  bool has_ranges() const {
    const bool is_extreme = merge_ == Operation::minimum || merge_ == Operation::maximum;
    return is_extreme && is_float(type_) && isa_ == Isa::avx512 && at_once() * size_of(type_) == 64;
  }

  /// Returns the lesser or the greater, with zeros ordered by sign.
  llvm::Value* ranged(llvm::Value* x, llvm::Value* y) {
    constexpr uint32_t kSignOfResult = 4;
    constexpr uint32_t kAsRounded = 4;
    const bool is_single = type_ == DType::f32;
    llvm::Type* const mask = builder_.getIntNTy(values_.num_elements());
    return builder_.CreateIntrinsic(
        is_single ? llvm::Intrinsic::x86_avx512_mask_range_ps_512
                  : llvm::Intrinsic::x86_avx512_mask_range_pd_512,
        {},
        {x, y, builder_.getInt32(kSignOfResult + (merge_ == Operation::maximum ? 1 : 0)), x,
         llvm::Constant::getAllOnesValue(mask), builder_.getInt32(kAsRounded)});
  }

  llvm::Value* merged(llvm::Value* x, llvm::Value* y) {
    return values_.steps().of_two(merge_, type_, x, y);
  }

  /// Merges into the lanes, and stores those or their merge; goes on with the next group.
  void write_group(llvm::PHINode* first, llvm::PHINode* stored, llvm::Value* whole,
                   llvm::BasicBlock* groups) {
    llvm::BasicBlock* const group = builder_.GetInsertBlock();
    llvm::BasicBlock* const body = block("lanes");
    llvm::BasicBlock* const after = block("after");
    llvm::BasicBlock* const one = block("one");
    llvm::BasicBlock* const several = block("several");
    llvm::Value* const longest = beyond(first, kMergedBlock);
    llvm::Value* const is_one = builder_.CreateICmpSLE(longest, whole);
    llvm::Value* const end = builder_.CreateSelect(is_one, longest, whole);
    builder_.CreateBr(body);
    builder_.SetInsertPoint(body);
    const Lanes in_loop = merge_lanes(first, end, group, after);
    builder_.SetInsertPoint(after);
    const Lanes lanes = with_nan(in_loop);
    builder_.CreateCondBr(is_one, one, several);
    builder_.SetInsertPoint(one);
    values_.store_one(halved(lanes), stored);
    go_on(end, first, beyond(stored, 1), stored, groups);
    builder_.SetInsertPoint(several);
    for (size_t number = 0; number < lanes.size(); ++number) {
      values_.store(lanes[number], beyond(stored, static_cast<int64_t>(number) * at_once()));
    }
    go_on(end, first, beyond(stored, kMergedLanes), stored, groups);
  }

  void go_on(llvm::Value* element, llvm::PHINode* first, llvm::Value* next_stored,
             llvm::PHINode* stored, llvm::BasicBlock* to) {
    first->addIncoming(element, builder_.GetInsertBlock());
    stored->addIncoming(next_stored, builder_.GetInsertBlock());
    builder_.CreateBr(to);
  }

  /// Writes the loop itself, from the insertion point to `after`: the lanes of [first, end).
  Lanes merge_lanes(llvm::Value* first, llvm::Value* end, llvm::BasicBlock* before,
                    llvm::BasicBlock* after) {
    llvm::BasicBlock* const body = builder_.GetInsertBlock();
    llvm::PHINode* const element = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    element->addIncoming(first, before);
    std::vector<llvm::PHINode*> earlier;
    for (unsigned number = 0; number < num_vectors_; ++number) {
      earlier.push_back(builder_.CreatePHI(values_.steps().vector_of(type_), 2));
      earlier.back()->addIncoming(neutral(), before);
    }
    Lanes elements;
    Lanes lanes;
    for (size_t number = 0; number < earlier.size(); ++number) {
      elements.push_back(values_.at(beyond(element, static_cast<int64_t>(number) * at_once())));
      lanes.push_back(has_ranges() ? ranged(earlier[number], elements.back())
                                   : merged(earlier[number], elements.back()));
      earlier[number]->addIncoming(lanes.back(), body);
    }
    if (has_ranges()) {
      note_nan(elements, before, body);
    }
    llvm::Value* const next = beyond(element, kMergedLanes);
    element->addIncoming(next, body);
    builder_.CreateCondBr(builder_.CreateICmpSLT(next, end), body, after);
    return lanes;
  }

  /// Notes, at the start of the loop's only block, which of the elements before were NaN.
  void note_nan(const Lanes& elements, llvm::BasicBlock* before, llvm::BasicBlock* body) {
    llvm::VectorType* const flags =
        llvm::FixedVectorType::get(builder_.getInt1Ty(), values_.num_elements());
    llvm::PHINode* const earlier = llvm::PHINode::Create(flags, 2, "nan", &body->front());
    earlier->addIncoming(llvm::Constant::getNullValue(flags), before);
    has_nan_ = earlier;
    for (size_t number = 0; number < elements.size(); number += 2) {
      const size_t other = std::min(number + 1, elements.size() - 1);
      has_nan_ =
          builder_.CreateOr(has_nan_, builder_.CreateFCmpUNO(elements[number], elements[other]));
    }
    earlier->addIncoming(has_nan_, body);
  }

  /// Returns the lanes behind the loop, with NaN in the lanes that met one.
  Lanes with_nan(Lanes lanes) {
    if (has_ranges()) {
      llvm::Constant* const nan = llvm::ConstantFP::getNaN(lanes[0]->getType());
      lanes[0] = builder_.CreateSelect(has_nan_, nan, lanes[0]);
    }
    return lanes;
  }

  llvm::Value* halved(Lanes lanes) {
    while (lanes.size() > 1) {
      const size_t half = lanes.size() / 2;
      for (size_t number = 0; number < half; ++number) {
        lanes[number] = merged(lanes[number], lanes[number + half]);
      }
      lanes.resize(half);
    }
    llvm::Value* vector = lanes[0];
    for (unsigned half = values_.num_elements() / 2; half > 0; half /= 2) {
      std::vector<int> lower(half);
      std::iota(lower.begin(), lower.end(), 0);
      std::vector<int> upper(half);
      std::iota(upper.begin(), upper.end(), static_cast<int>(half));
      vector = merged(builder_.CreateShuffleVector(vector, lower),
                      builder_.CreateShuffleVector(vector, upper));
    }
    return builder_.CreateExtractElement(vector, builder_.getInt64(0));
  }

  /// Writes less than kMergedLanes elements.
  void write_rest(llvm::PHINode* first, llvm::PHINode* first_stored, llvm::BasicBlock* before) {
    llvm::BasicBlock* const test = block("test");
    llvm::BasicBlock* const body = block("body");
    llvm::BasicBlock* const done = block("done");
    builder_.CreateBr(test);
    builder_.SetInsertPoint(test);
    llvm::PHINode* const element = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    llvm::PHINode* const stored = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    element->addIncoming(first, before);
    stored->addIncoming(first_stored, before);
    builder_.CreateCondBr(builder_.CreateICmpSLT(element, function_->getArg(2)), body, done);
    builder_.SetInsertPoint(body);
    values_.store(values_.at(element), stored);
    go_on(beyond(element, at_once()), element, beyond(stored, at_once()), stored, test);
    builder_.SetInsertPoint(done);
    builder_.CreateRet(builder_.getInt8(0));  // Status::ok
  }

  Operation merge_;
  Isa isa_;
  llvm::IRBuilder<> builder_;
  llvm::Function* function_;
  ElementValues values_;
  DType type_;
  unsigned num_vectors_;
  llvm::Value* has_nan_ = nullptr;  // by lane, if has_ranges()
};

}  // namespace

std::unique_ptr<llvm::Module> merge_loop(const Request& request, llvm::LLVMContext& context) {
  auto module = std::make_unique<llvm::Module>("tessera", context);
  MergeWriter(request, *module).write();
  return module;
}

}  // namespace tessera::kernels::generated
