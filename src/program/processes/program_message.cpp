#include "program/processes/program_message.h"

#include <cstring>

#include "base/error.h"

namespace tessera::program {

namespace {

/// Says what a message is made of, in one order, to whoever writes or reads it.
template <class Archive, class T>
void say(Archive& archive, std::vector<T>& values) {
  auto size = static_cast<int64_t>(values.size());
  archive.say(size);
  values.resize(static_cast<size_t>(size));
  for (T& value : values) {
    say(archive, value);
  }
}

template <class Archive>
void say(Archive& archive, int64_t& number) {
  archive.say(number);
}

template <class Archive>
void say(Archive& archive, std::string& text) {
  archive.say(text);
}

template <class Archive>
void say(Archive& archive, ArrayType& type) {
  auto dtype = static_cast<int64_t>(type.dtype);
  say(archive, dtype);
  type.dtype = static_cast<DType>(dtype);
  say(archive, type.shape);
}

template <class Archive>
void say(Archive& archive, SharedRows& rows) {
  say(archive, rows.first_row);
  say(archive, rows.path);
  say(archive, rows.label);
  say(archive, rows.type);
  say(archive, rows.bytes);
}

template <class Archive>
void say(Archive& archive, SharedInput& input) {
  say(archive, input.name);
  say(archive, input.type);
  say(archive, input.num_grid_modes);
  say(archive, input.rows);
  say(archive, input.bytes);
}

template <class Archive>
void say(Archive& archive, SharedResult& result) {
  say(archive, result.name);
  say(archive, result.type);
  say(archive, result.grid);
  say(archive, result.place);
}

template <class Archive>
void say(Archive& archive, ProgramMessage& message) {
  say(archive, message.graph);
  say(archive, message.defined);
  say(archive, message.known);
  say(archive, message.inputs);
  say(archive, message.reads);
  say(archive, message.results);
}

class Writer {
 public:
  void say(int64_t& number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void say(std::string& text) {
    auto size = static_cast<int64_t>(text.size());
    say(size);
    bytes_ += text;
  }
  std::string bytes() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  void say(int64_t& number) { std::memcpy(&number, take(sizeof number).data(), sizeof number); }
  void say(std::string& text) {
    int64_t size = 0;
    say(size);
    const std::span<const std::byte> bytes = take(static_cast<size_t>(size));
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

 private:
  std::span<const std::byte> take(size_t size) {
    TESSERA_CHECK(size <= rest_.size(), "a message ends {} bytes early", size - rest_.size());
    const std::span<const std::byte> taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }

  std::span<const std::byte> rest_;
};

}  // namespace

std::string to_bytes(const ProgramMessage& message) {
  ProgramMessage copy = message;
  Writer writer;
  say(writer, copy);
  return std::move(writer).bytes();
}

ProgramMessage message_of(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  ProgramMessage message;
  say(reader, message);
  return message;
}

}  // namespace tessera::program
