#include "kernels/generated/llvm/vector_steps.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

namespace tessera::kernels::generated {

namespace {

/// Returns the bits of a value in a register.
unsigned bits_of(DType type) {
  return is_bool(type) ? 1 : static_cast<unsigned>(8 * size_of(type));
}

/// True for a constant whose equal numbers have equal bits: no zero and no NaN.
bool is_plain_number(const llvm::Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  const auto* number = constant == nullptr
                           ? nullptr
                           : llvm::dyn_cast_or_null<llvm::ConstantFP>(constant->getSplatValue());
  return number != nullptr && !number->isZero() && !number->isNaN();
}

}  // namespace

llvm::VectorType* VectorSteps::vector_of(DType type) const {
  llvm::Type* element = builder_.getIntNTy(bits_of(type));
  if (type == DType::f32) {
    element = builder_.getFloatTy();
  } else if (type == DType::f64) {
    element = builder_.getDoubleTy();
  }
  return llvm::FixedVectorType::get(element, num_elements_);
}

llvm::VectorType* VectorSteps::stored_vector_of(DType type) const {
  return vector_of(is_bool(type) ? DType::u8 : type);
}

llvm::Value* VectorSteps::constant(const Step& step) const {
  const auto type = static_cast<DType>(step.type);
  const llvm::APInt bits(bits_of(type), step.bits);
  llvm::Constant* element = builder_.getInt(bits);
  if (type == DType::f32) {
    element = llvm::ConstantFP::get(builder_.getContext(),
                                    llvm::APFloat(llvm::APFloat::IEEEsingle(), bits));
  } else if (type == DType::f64) {
    element = llvm::ConstantFP::get(builder_.getContext(),
                                    llvm::APFloat(llvm::APFloat::IEEEdouble(), bits));
  }
  return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(num_elements_), element);
}

llvm::Value* VectorSteps::computed(const Step& step, const Step* steps,
                                   const std::vector<llvm::Value*>& values) {
  const auto value = [&](int argument) {
    return values[static_cast<size_t>(step.arguments[argument])];
  };
  const auto of_argument = static_cast<DType>(steps[step.arguments[0]].type);
  const auto type = static_cast<DType>(step.type);
  switch (step.operation) {
    case Operation::argument:
    case Operation::uniform:
    case Operation::constant:
      return nullptr;  // excluded by its contract
    case Operation::cast:
      return cast(value(0), of_argument, type);
    case Operation::where:
      return builder_.CreateSelect(value(0), value(1), value(2));
    case Operation::negative:
    case Operation::absolute:
    case Operation::square_root:
    case Operation::floor:
    case Operation::ceil:
    case Operation::trunc:
    case Operation::round:
      return of_one(step.operation, type, value(0));
    case Operation::equal:
    case Operation::not_equal:
    case Operation::less:
    case Operation::less_equal:
      return compared(step.operation, of_argument, value(0), value(1));
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply:
    case Operation::divide:
    case Operation::minimum:
    case Operation::maximum:
    case Operation::bitwise_and:
    case Operation::bitwise_or:
    case Operation::bitwise_xor:
      return of_two(step.operation, type, value(0), value(1));
  }
  return nullptr;
}

llvm::Value* VectorSteps::of_one(Operation operation, DType type, llvm::Value* x) {
  using llvm::Intrinsic::ID;
  const auto intrinsic = [&](ID id) { return builder_.CreateUnaryIntrinsic(id, x); };
  switch (operation) {
    case Operation::negative:
      return builder_.CreateFNeg(x);
    case Operation::absolute:
      return absolute(type, x);
    case Operation::square_root:
      return intrinsic(llvm::Intrinsic::sqrt);
    case Operation::floor:
      return intrinsic(llvm::Intrinsic::floor);
    case Operation::ceil:
      return intrinsic(llvm::Intrinsic::ceil);
    case Operation::trunc:
      return intrinsic(llvm::Intrinsic::trunc);
    default:
      return intrinsic(llvm::Intrinsic::nearbyint);
  }
}

llvm::Value* VectorSteps::absolute(DType type, llvm::Value* x) {
  if (is_float(type)) {
    return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  }
  llvm::Value* const zero = llvm::Constant::getNullValue(x->getType());
  return builder_.CreateSelect(builder_.CreateICmpSLT(x, zero), builder_.CreateSub(zero, x), x);
}

llvm::Value* VectorSteps::of_two(Operation operation, DType type, llvm::Value* x, llvm::Value* y) {
  switch (operation) {
    case Operation::add:
      return is_float(type) ? builder_.CreateFAdd(x, y) : builder_.CreateAdd(x, y);
    case Operation::subtract:
      return is_float(type) ? builder_.CreateFSub(x, y) : builder_.CreateSub(x, y);
    case Operation::multiply:
      return is_float(type) ? builder_.CreateFMul(x, y) : builder_.CreateMul(x, y);
    case Operation::divide:
      return builder_.CreateFDiv(x, y);
    case Operation::bitwise_and:
      return builder_.CreateAnd(x, y);
    case Operation::bitwise_or:
      return builder_.CreateOr(x, y);
    case Operation::bitwise_xor:
      return builder_.CreateXor(x, y);
    default:
      return extreme(operation == Operation::maximum, type, x, y);
  }
}

llvm::Value* VectorSteps::compared(Operation operation, DType type, llvm::Value* x,
                                   llvm::Value* y) {
  using Predicate = llvm::CmpInst::Predicate;
  const bool is_signed = is_signed_integer(type);
  Predicate predicate = Predicate::ICMP_EQ;
  switch (operation) {
    case Operation::equal:
      predicate = is_float(type) ? Predicate::FCMP_OEQ : Predicate::ICMP_EQ;
      break;
    case Operation::not_equal:
      predicate = is_float(type) ? Predicate::FCMP_UNE : Predicate::ICMP_NE;
      break;
    case Operation::less:
      predicate = is_float(type) ? Predicate::FCMP_OLT
                  : is_signed    ? Predicate::ICMP_SLT
                                 : Predicate::ICMP_ULT;
      break;
    default:
      predicate = is_float(type) ? Predicate::FCMP_OLE
                  : is_signed    ? Predicate::ICMP_SLE
                                 : Predicate::ICMP_ULE;
  }
  return builder_.CreateCmp(predicate, x, y);
}

/// Returns the extreme like expr/functions/maximum.h with vectors: the processor's max of y and x
/// is x if one of them is NaN or both are zeros.
llvm::Value* VectorSteps::extreme(bool is_maximum, DType type, llvm::Value* x, llvm::Value* y) {
  const auto is_beyond = [&](llvm::Value* a, llvm::Value* b) {
    return is_maximum ? compared(Operation::less, type, b, a)
                      : compared(Operation::less, type, a, b);
  };
  if (!is_float(type)) {
    return builder_.CreateSelect(is_beyond(x, y), x, y);
  }
  if (is_plain_number(x)) {
    std::swap(x, y);
  }
  llvm::Value* const chosen = builder_.CreateSelect(is_beyond(y, x), y, x);
  if (is_plain_number(y)) {
    return chosen;
  }
  llvm::Value* const ordered =
      builder_.CreateSelect(builder_.CreateFCmpOEQ(x, y), equal_bits(is_maximum, x, y), chosen);
  return builder_.CreateSelect(builder_.CreateFCmpORD(y, y), ordered, y);
}

/// Returns the common value of two equal numbers; of two zeros the one of the required sign.
llvm::Value* VectorSteps::equal_bits(bool is_maximum, llvm::Value* x, llvm::Value* y) {
  llvm::Type* const integer =
      llvm::VectorType::getInteger(llvm::cast<llvm::VectorType>(x->getType()));
  llvm::Value* const a = builder_.CreateBitCast(x, integer);
  llvm::Value* const b = builder_.CreateBitCast(y, integer);
  return builder_.CreateBitCast(is_maximum ? builder_.CreateAnd(a, b) : builder_.CreateOr(a, b),
                                x->getType());
}

llvm::Value* VectorSteps::cast(llvm::Value* x, DType from, DType to) {
  llvm::Type* const type = vector_of(to);
  const bool is_signed = is_signed_integer(from);
  if (is_bool(to)) {
    llvm::Value* const zero = llvm::Constant::getNullValue(x->getType());
    return is_float(from) ? builder_.CreateFCmpUNE(x, zero) : builder_.CreateICmpNE(x, zero);
  }
  if (is_float(from)) {
    return builder_.CreateFPCast(x, type);
  }
  if (is_float(to)) {
    return is_signed ? builder_.CreateSIToFP(x, type) : builder_.CreateUIToFP(x, type);
  }
  return builder_.CreateIntCast(x, type, is_signed);
}

}  // namespace tessera::kernels::generated
