#include "kernels/generated/llvm/object_image.h"

#include <cstring>
#include <map>
#include <optional>

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELFObjectFile.h>

namespace tessera::kernels::generated {

namespace {

using llvm::object::ELF64LEObjectFile;
using llvm::object::ELFRelocationRef;
using llvm::object::ELFSectionRef;
using llvm::object::SectionRef;
using llvm::object::SymbolRef;

template <class T>
std::optional<T> value_of(llvm::Expected<T> expected) {
  if (!expected) {
    llvm::consumeError(expected.takeError());
    return std::nullopt;
  }
  return std::move(*expected);
}

/// A layout of the parts of one object in an image.
class Layout {
 public:
  explicit Layout(const ELF64LEObjectFile& object) : object_(object) {}

  OrRefusal<Image> run(const std::string& function) {
    for (const SectionRef& section : object_.sections()) {
      if ((ELFSectionRef(section).getFlags() & llvm::ELF::SHF_ALLOC) != 0) {
        place(section);
      }
    }
    for (const SectionRef& section : object_.sections()) {
      if (std::optional<Refusal> refusal = resolve(section)) {
        return std::move(*refusal);
      }
    }
    for (const SymbolRef& symbol : object_.symbols()) {
      const std::optional<size_t> entry = place_of(symbol);
      if (entry && value_of(symbol.getName()) == llvm::StringRef(function)) {
        image_.entry = *entry;
        return std::move(image_);
      }
    }
    return Refusal{"the code has no function " + function};
  }

 private:
  void place(const SectionRef& section) {
    const size_t alignment = std::max<size_t>(section.getAlignment(), 1);
    const size_t start = (image_.bytes.size() + alignment - 1) / alignment * alignment;
    image_.bytes.resize(start + section.getSize());
    if (const auto contents = value_of(section.getContents()); contents && !contents->empty()) {
      std::memcpy(&image_.bytes[start], contents->data(), contents->size());
    }
    start_of_[section.getIndex()] = start;
  }

  std::optional<size_t> place_of(const SymbolRef& symbol) const {
    const auto section = value_of(symbol.getSection());
    const auto value = value_of(symbol.getValue());
    if (!section || *section == object_.section_end() || !value) {
      return std::nullopt;
    }
    const auto start = start_of_.find((*section)->getIndex());
    return start == start_of_.end() ? std::nullopt : std::optional(start->second + *value);
  }

  /// Writes the addresses that the code of a section refers to.
  std::optional<Refusal> resolve(const ELFSectionRef& relocations) {
    const auto target = value_of(relocations.getRelocatedSection());
    if (!target || *target == object_.section_end()) {
      return std::nullopt;
    }
    const auto start = start_of_.find((*target)->getIndex());
    if (start == start_of_.end()) {
      return std::nullopt;  // of a section that is not code
    }
    for (const ELFRelocationRef relocation : relocations.relocations()) {
      const std::optional<size_t> symbol = place_of(*relocation.getSymbol());
      const auto addend = value_of(relocation.getAddend());
      const bool is_distance = relocation.getType() == llvm::ELF::R_X86_64_PC32 ||
                               relocation.getType() == llvm::ELF::R_X86_64_PLT32;
      if (!symbol || !addend || !is_distance) {
        return Refusal{"the code needs what is outside of it"};
      }
      const size_t place = start->second + relocation.getOffset();
      const auto distance = static_cast<int32_t>(static_cast<int64_t>(*symbol) + *addend -
                                                 static_cast<int64_t>(place));
      std::memcpy(&image_.bytes[place], &distance, sizeof distance);
    }
    return std::nullopt;
  }

  const ELF64LEObjectFile& object_;
  Image image_;
  std::map<uint64_t, size_t> start_of_;  // of a section by its number
};

}  // namespace

OrRefusal<Image> image_of(llvm::MemoryBufferRef object, const std::string& function) {
  const auto read = value_of(ELF64LEObjectFile::create(object));
  if (!read) {
    return Refusal{"the code is no object"};
  }
  return Layout(*read).run(function);
}

}  // namespace tessera::kernels::generated
