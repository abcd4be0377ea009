#include "kernels/generated/llvm/element_values.h"

#include <algorithm>

#include "kernels/generated/llvm/block_loop.h"

namespace tessera::kernels::generated {

namespace {

bool is_read(const Step& step) {
  return step.operation == Operation::argument || step.operation == Operation::uniform;
}

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

}  // namespace

ElementValues::ElementValues(const Request& request, llvm::IRBuilder<>& builder,
                             llvm::Function& function)
    : request_(request),
      builder_(builder),
      function_(function),
      num_elements_(elements_at_once(request)),
      steps_(builder, num_elements_) {}

DType ElementValues::result_type() const {
  return static_cast<DType>(request_.steps[request_.num_steps - 1].type);
}

/// True for a step whose arguments all are the same for all elements.
bool ElementValues::is_the_same(const Step& step) const {
  return step.operation != Operation::argument &&
         std::all_of(std::begin(step.arguments), std::end(step.arguments),
                     [this](int32_t argument) {
                       return argument < 0 || the_same_[static_cast<size_t>(argument)] != nullptr;
                     });
}

void ElementValues::begin() {
  for (int64_t number = 0; number < request_.num_steps; ++number) {
    const Step& step = request_.steps[number];
    const auto type = static_cast<DType>(step.type);
    llvm::Value* address = nullptr;
    if (is_read(step)) {
      llvm::Value* const place = builder_.CreateConstInBoundsGEP1_64(
          builder_.getInt8PtrTy(), function_.getArg(0), step.bits);
      address = builder_.CreateLoad(builder_.getInt8PtrTy(), place);
    }
    addresses_.push_back(address);
    llvm::Value* const value = !is_the_same(step)                     ? nullptr
                               : step.operation == Operation::uniform ? load_uniform(address, type)
                               : step.operation == Operation::constant
                                   ? steps_.constant(step)
                                   : steps_.computed(step, request_.steps, the_same_);
    the_same_.push_back(value);
  }
}

/// Returns the address of an element by its number.
llvm::Value* ElementValues::first_at(llvm::Value* address, DType type, llvm::Value* element) {
  llvm::Type* const single = steps_.stored_vector_of(type)->getElementType();
  return builder_.CreateInBoundsGEP(single, builder_.CreateBitCast(address, single->getPointerTo()),
                                    element);
}

/// Turns loaded values into bits: bools are bits in registers.
llvm::Value* ElementValues::as_value(llvm::Value* loaded, DType type) {
  return is_bool(type)
             ? builder_.CreateICmpNE(loaded, llvm::Constant::getNullValue(loaded->getType()))
             : loaded;
}

llvm::Value* ElementValues::load(llvm::Value* address, DType type, llvm::Value* element) {
  llvm::VectorType* const vector = steps_.stored_vector_of(type);
  llvm::Value* const place =
      builder_.CreateBitCast(first_at(address, type, element), vector->getPointerTo());
  return as_value(builder_.CreateAlignedLoad(vector, place, llvm::Align(1)), type);
}

llvm::Value* ElementValues::load_uniform(llvm::Value* address, DType type) {
  llvm::Type* const single = steps_.stored_vector_of(type)->getElementType();
  llvm::Value* const place = builder_.CreateBitCast(address, single->getPointerTo());
  llvm::Value* const loaded = builder_.CreateAlignedLoad(single, place, llvm::Align(1));
  return as_value(builder_.CreateVectorSplat(num_elements_, loaded), type);
}

llvm::Value* ElementValues::at(llvm::Value* element) {
  std::vector<llvm::Value*> values = the_same_;
  for (int64_t number = 0; number < request_.num_steps; ++number) {
    const Step& step = request_.steps[number];
    llvm::Value*& value = values[static_cast<size_t>(number)];
    if (step.operation == Operation::argument) {
      value = load(addresses_[static_cast<size_t>(number)], static_cast<DType>(step.type), element);
    } else if (value == nullptr) {
      value = steps_.computed(step, request_.steps, values);
    }
  }
  return values.back();
}

void ElementValues::store(llvm::Value* values, llvm::Value* element) {
  const DType type = result_type();
  llvm::VectorType* const vector = steps_.stored_vector_of(type);
  llvm::Value* const stored = is_bool(type) ? builder_.CreateZExt(values, vector) : values;
  builder_.CreateAlignedStore(
      stored,
      builder_.CreateBitCast(first_at(function_.getArg(1), type, element), vector->getPointerTo()),
      llvm::Align(1));
}

void ElementValues::store_one(llvm::Value* value, llvm::Value* element) {
  builder_.CreateAlignedStore(value, first_at(function_.getArg(1), result_type(), element),
                              llvm::Align(1));
}

llvm::Function* new_block_function(llvm::Module& module, llvm::IRBuilder<>& builder) {
  llvm::Type* const address = builder.getInt8PtrTy();
  llvm::FunctionType* const type = llvm::FunctionType::get(
      builder.getInt8Ty(), {address->getPointerTo(), address, builder.getInt64Ty()}, false);
  llvm::Function* const function =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, kFunctionName, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  return function;
}

}  // namespace tessera::kernels::generated
