#include "kernels/generated/llvm/block_loop.h"

#include "kernels/generated/llvm/element_values.h"

namespace tessera::kernels::generated {

std::unique_ptr<llvm::Module> block_loop(const Request& request, llvm::LLVMContext& context) {
  auto module = std::make_unique<llvm::Module>("tessera", context);
  llvm::IRBuilder<> builder(context);
  llvm::Function* const function = new_block_function(*module, builder);
  ElementValues values(request, builder, *function);
  const auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(context, name, function);
  };
  llvm::BasicBlock* const entry = block("entry");
  llvm::BasicBlock* const test = block("test");
  llvm::BasicBlock* const body = block("body");
  llvm::BasicBlock* const done = block("done");
  builder.SetInsertPoint(entry);
  values.begin();
  builder.CreateBr(test);
  builder.SetInsertPoint(test);
  llvm::PHINode* const element = builder.CreatePHI(builder.getInt64Ty(), 2);
  builder.CreateCondBr(builder.CreateICmpSLT(element, function->getArg(2)), body, done);
  builder.SetInsertPoint(body);
  values.store(values.at(element), element);
  llvm::Value* const next = builder.CreateAdd(element, builder.getInt64(values.num_elements()));
  builder.CreateBr(test);
  element->addIncoming(builder.getInt64(0), entry);
  element->addIncoming(next, body);
  builder.SetInsertPoint(done);
  builder.CreateRet(builder.getInt8(0));  // Status::ok
  return module;
}

}  // namespace tessera::kernels::generated
