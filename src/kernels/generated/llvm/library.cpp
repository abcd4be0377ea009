#include <memory>
#include <optional>
#include <string>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "kernels/generated/interface.h"
#include "kernels/generated/llvm/block_loop.h"
#include "kernels/generated/llvm/merge_loop.h"
#include "kernels/generated/llvm/object_image.h"
#include "machine/isa.h"

/// libtessera_codegen.so: machine code of block functions, by LLVM.
namespace tessera::kernels::generated {

namespace {

constexpr const char* kTriple = "x86_64-unknown-linux-gnu";

/// Returns the instructions of an instruction set, and no others: those of its compiled tables
/// (kernels/CMakeLists.txt).
std::optional<std::string> features_of(uint32_t isa) {
  switch (static_cast<Isa>(isa)) {
    case Isa::avx2:
      return "+avx2,+fma";
    case Isa::avx512:
      return "+avx512f,+avx512dq,+avx512bw,+avx512vl,+avx512cd,+fma";
    case Isa::scalar:
      break;
  }
  return std::nullopt;
}

std::unique_ptr<llvm::TargetMachine> target_machine(const std::string& features) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  std::string error;
  const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(kTriple, error);
  if (target == nullptr) {
    return nullptr;
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // products and sums are each rounded
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(kTriple, "x86-64", features, options, llvm::Reloc::PIC_,
                                  llvm::CodeModel::Small, llvm::CodeGenOpt::Default));
}

OrRefusal<Image> generated_image(const Request& request) {
  if (request.version != kInterfaceVersion) {
    return Refusal{"the library is of another version"};
  }
  const std::optional<std::string> features = features_of(request.isa);
  const std::unique_ptr<llvm::TargetMachine> machine =
      features ? target_machine(*features) : nullptr;
  if (machine == nullptr) {
    return Refusal{"the library has no code for the instruction set"};
  }
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = request.merge == Operation::argument
                                                   ? block_loop(request, context)
                                                   : merge_loop(request, context);
  module->setTargetTriple(kTriple);
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CGFT_ObjectFile)) {
    return Refusal{"the library makes no objects"};
  }
  passes.run(*module);
  return image_of(llvm::MemoryBufferRef(llvm::StringRef(object.data(), object.size()), "code"),
                  kFunctionName);
}

}  // namespace

extern "C" void tessera_generate(const Request* request, const Answer* answer);

extern "C" void tessera_generate(const Request* request, const Answer* answer) {
  const OrRefusal<Image> image = generated_image(*request);
  if (image) {
    answer->code(answer->receiver, image->bytes.data(), image->bytes.size(), image->entry);
  } else {
    answer->refusal(answer->receiver, image.refusal().reason.c_str());
  }
}

}  // namespace tessera::kernels::generated
