#include "program/growing/statement_text.h"

#include <algorithm>
#include <cctype>

namespace tessera::program {

namespace {

using frames::OperatorKind;

bool is_in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// A statement word by word.
class Reader {
 public:
  Reader(const std::string& text, const std::function<bool(const std::string&)>& is_tensor)
      : text_(text), is_tensor_(is_tensor) {}

  StatementText read() {
    while (place_ < text_.size()) {
      if (is_in_word(text_[place_])) {
        take_word();
      } else {
        depth_ += text_[place_] == '[' ? 1 : text_[place_] == ']' ? -1 : 0;
        ++place_;
      }
    }
    statement_.kind = is_joined_         ? OperatorKind::unite
                      : is_aggregate_    ? OperatorKind::aggregate
                      : reads_by_number_ ? OperatorKind::select
                                         : OperatorKind::map;
    return std::move(statement_);
  }

 private:
  void take_word() {
    const size_t begin = place_;
    while (place_ < text_.size() && is_in_word(text_[place_])) {
      ++place_;
    }
    const std::string word = text_.substr(begin, place_ - begin);
    const bool has_index = place_ < text_.size() && text_[place_] == '[';
    if (is_tensor_(word)) {
      reads_by_number_ = reads_by_number_ || depth_ > 0;
      if (std::find(statement_.reads.begin(), statement_.reads.end(), word) ==
          statement_.reads.end()) {
        statement_.reads.push_back(word);
      }
    } else if (has_index && word == "concat") {
      is_joined_ = true;
    } else if (has_index) {
      is_aggregate_ = true;
    }
  }

  const std::string& text_;
  const std::function<bool(const std::string&)>& is_tensor_;
  StatementText statement_;
  size_t place_ = 0;
  int depth_ = 0;  // of brackets around
  bool is_joined_ = false;
  bool is_aggregate_ = false;
  bool reads_by_number_ = false;
};

}  // namespace

StatementText read_statement(const std::string& text,
                             const std::function<bool(const std::string&)>& is_tensor) {
  return Reader(text, is_tensor).read();
}

}  // namespace tessera::program
