#include "kernels/generated/llvm/block_loop.h"

#include <algorithm>
#include <vector>

#include "kernels/generated/llvm/vector_steps.h"

namespace tessera::kernels::generated {

namespace {

/// Elements at once: buffers, and tiles that stand for them, are multiples of 64 bytes long, so no
/// vector reaches behind the widest of them.
unsigned elements_at_once(const Request& request) {
  int64_t widest = 1;
  for (int64_t number = 0; number < request.num_steps; ++number) {
    const Step& step = request.steps[number];
    if (step.operation == Operation::argument || number + 1 == request.num_steps) {
      widest = std::max(widest, size_of(static_cast<DType>(step.type)));
    }
  }
  return static_cast<unsigned>(64 / widest);
}

/// Writes the loop around the steps.
class Writer {
 public:
  Writer(const Request& request, llvm::Module& module)
      : request_(request),
        builder_(module.getContext()),
        num_elements_(elements_at_once(request)),
        steps_(builder_, num_elements_) {
    llvm::Type* const address = builder_.getInt8PtrTy();
    llvm::FunctionType* const type = llvm::FunctionType::get(
        builder_.getInt8Ty(), {address->getPointerTo(), address, builder_.getInt64Ty()}, false);
    function_ =
        llvm::Function::Create(type, llvm::Function::ExternalLinkage, kFunctionName, module);
    function_->addFnAttr(llvm::Attribute::NoUnwind);
  }

  void write() {
    llvm::BasicBlock* const entry = block("entry");
    llvm::BasicBlock* const test = block("test");
    llvm::BasicBlock* const body = block("body");
    llvm::BasicBlock* const done = block("done");
    builder_.SetInsertPoint(entry);
    find_arguments();
    builder_.CreateBr(test);
    builder_.SetInsertPoint(test);
    llvm::PHINode* const element = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    builder_.CreateCondBr(builder_.CreateICmpSLT(element, function_->getArg(2)), body, done);
    builder_.SetInsertPoint(body);
    store(computed(element), element);
    llvm::Value* const next = builder_.CreateAdd(element, builder_.getInt64(num_elements_));
    builder_.CreateBr(test);
    element->addIncoming(builder_.getInt64(0), entry);
    element->addIncoming(next, body);
    builder_.SetInsertPoint(done);
    builder_.CreateRet(builder_.getInt8(0));  // Status::ok
  }

 private:
  llvm::BasicBlock* block(const char* name) {
    return llvm::BasicBlock::Create(builder_.getContext(), name, function_);
  }

  void find_arguments() {
    for (int64_t number = 0; number < request_.num_steps; ++number) {
      const Step& step = request_.steps[number];
      llvm::Value* address = nullptr;
      if (step.operation == Operation::argument) {
        llvm::Value* const place = builder_.CreateConstInBoundsGEP1_64(
            builder_.getInt8PtrTy(), function_->getArg(0), step.bits);
        address = builder_.CreateLoad(builder_.getInt8PtrTy(), place);
      }
      addresses_.push_back(address);
    }
  }

  /// Where a vector lies of which the first element has a number.
  llvm::Value* vector_at(llvm::Value* address, DType type, llvm::Value* element) {
    llvm::VectorType* const vector = steps_.stored_vector_of(type);
    llvm::Type* const single = vector->getElementType();
    llvm::Value* const first = builder_.CreateInBoundsGEP(
        single, builder_.CreateBitCast(address, single->getPointerTo()), element);
    return builder_.CreateBitCast(first, vector->getPointerTo());
  }

  llvm::Value* load(llvm::Value* address, DType type, llvm::Value* element) {
    llvm::Value* const loaded = builder_.CreateAlignedLoad(
        steps_.stored_vector_of(type), vector_at(address, type, element), llvm::Align(1));
    return is_bool(type)
               ? builder_.CreateICmpNE(loaded, llvm::Constant::getNullValue(loaded->getType()))
               : loaded;
  }

  /// The last step's value.
  llvm::Value* computed(llvm::Value* element) {
    std::vector<llvm::Value*> values;
    for (int64_t number = 0; number < request_.num_steps; ++number) {
      const Step& step = request_.steps[number];
      const auto type = static_cast<DType>(step.type);
      values.push_back(step.operation == Operation::argument
                           ? load(addresses_[static_cast<size_t>(number)], type, element)
                       : step.operation == Operation::constant
                           ? steps_.constant(step)
                           : steps_.computed(step, request_.steps, values));
    }
    return values.back();
  }

  void store(llvm::Value* value, llvm::Value* element) {
    const auto type = static_cast<DType>(request_.steps[request_.num_steps - 1].type);
    llvm::Value* const stored =
        is_bool(type) ? builder_.CreateZExt(value, steps_.stored_vector_of(type)) : value;
    builder_.CreateAlignedStore(stored, vector_at(function_->getArg(1), type, element),
                                llvm::Align(1));
  }

  const Request& request_;
  llvm::IRBuilder<> builder_;
  unsigned num_elements_;
  VectorSteps steps_;
  llvm::Function* function_ = nullptr;
  std::vector<llvm::Value*> addresses_;  // of the arguments, by step
};

}  // namespace

std::unique_ptr<llvm::Module> block_loop(const Request& request, llvm::LLVMContext& context) {
  auto module = std::make_unique<llvm::Module>("tessera", context);
  Writer(request, *module).write();
  return module;
}

}  // namespace tessera::kernels::generated
