#include "harness/sweep/json_positions.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace tally {
namespace {

constexpr std::size_t deepest = 64;

/// Reads a text and counts what it has handed out, which tells where the parser is.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* count) : at_(at), count_(count) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* count_;
};

/// The parser's own words without the exception's number and its place, which we tell in our way.
std::string without_place(const std::string& what) {
  for (const char* const prefix : {": syntax error", ": "}) {
    const std::size_t place = what.find(prefix);
    if (what.find(" at line ") != std::string::npos && place != std::string::npos)
      return what.substr(place + 2);
  }
  const std::size_t bracket = what.find("] ");
  return bracket == std::string::npos ? what : what.substr(bracket + 2);
}

/// Builds the document as nlohmann::json::parse would, and notes lines and duplicate keys on the way.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(const std::string& text) : text_(text) {}

  std::size_t* count() { return &count_; }
  PositionedJson take() { return std::move(result_); }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(nlohmann::json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(nlohmann::json::array()); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    key_ = name;
    if (open_.back()->contains(name)) {
      fail("the key " + nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
               " stands here a second time (first on line " +
               std::to_string(result_.lines[pointer_of(nlohmann::json(name))]) + ")",
           start_of_string());
    }
    result_.lines[pointer_of(nlohmann::json(name))] = line_at(last_read());
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& error) override {
    fail("not JSON: " + without_place(error.what()), position == 0 ? 0 : position - 1);
    return false;
  }

 private:
  std::size_t last_read() const { return count_ == 0 ? 0 : count_ - 1; }

  /// Where the string that was read last begins.
  std::size_t start_of_string() const {
    std::size_t at = last_read();
    while (at > 0) {
      at = text_.rfind('"', at - 1);
      std::size_t first = at;
      while (first > 0 && text_[first - 1] == '\\') --first;
      if ((at - first) % 2 == 0) return at;
    }
    return at;
  }

  int line_at(std::size_t offset) {
    offset = std::min(offset, text_.size());
    if (offset < counted_) {
      return 1 + static_cast<int>(
                     std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
    }
    const auto begin = text_.begin();
    lines_ += static_cast<int>(std::count(begin + static_cast<std::ptrdiff_t>(counted_),
                                          begin + static_cast<std::ptrdiff_t>(offset), '\n'));
    counted_ = offset;
    return lines_;
  }

  [[noreturn]] void fail(const std::string& message, std::size_t offset) {
    offset = std::min(offset, text_.size());
    const std::size_t line_break = offset == 0 ? std::string::npos : text_.rfind('\n', offset - 1);
    const std::size_t start = line_break == std::string::npos ? 0 : line_break + 1;
    throw JsonTextError(message, line_at(offset), static_cast<int>(offset - start) + 1);
  }

  std::string pointer_of(const nlohmann::json& part) const {
    nlohmann::json::json_pointer pointer;
    for (const nlohmann::json& outer : path_) append(pointer, outer);
    append(pointer, part);
    return pointer.to_string();
  }

  static void append(nlohmann::json::json_pointer& pointer, const nlohmann::json& part) {
    if (part.is_string()) {
      pointer /= part.get<std::string>();
    } else {
      pointer /= part.get<std::size_t>();
    }
  }

  /// Puts a value where the parser is and returns its place.
  nlohmann::json* place(nlohmann::json value) {
    if (open_.empty()) {
      result_.value = std::move(value);
      here_ = nullptr;
      return &result_.value;
    }
    nlohmann::json& around = *open_.back();
    if (around.is_object()) {
      here_ = key_;
      return &(around[key_] = std::move(value));
    }
    here_ = around.size();
    result_.lines[pointer_of(here_)] = line_at(last_read());
    around.push_back(std::move(value));
    return &around.back();
  }

  bool put(nlohmann::json value) {
    place(std::move(value));
    return true;
  }

  bool open(nlohmann::json empty) {
    if (open_.size() >= deepest) {
      fail("nested more than " + std::to_string(deepest) + " deep", last_read());
    }
    nlohmann::json* const opened = place(std::move(empty));
    if (!open_.empty()) path_.push_back(here_);
    open_.push_back(opened);
    return true;
  }

  bool close() {
    open_.pop_back();
    if (!path_.empty()) path_.pop_back();
    return true;
  }

  const std::string& text_;
  std::size_t count_ = 0;
  std::size_t counted_ = 0;  // characters whose line breaks are in lines_
  int lines_ = 1;
  PositionedJson result_;
  // An array's elements move when it grows, so that only the innermost open value may grow; those around it
  // do not.
  std::vector<nlohmann::json*> open_;
  std::vector<nlohmann::json> path_;  // keys and indices of the open values but the outermost
  std::string key_;
  nlohmann::json here_;
};

}  // namespace

PositionedJson parse_with_positions(const std::string& text) {
  Builder builder(text);
  nlohmann::json::sax_parse(CountingIterator(text.data(), builder.count()),
                            CountingIterator(text.data() + text.size(), builder.count()), &builder);
  return builder.take();
}

std::optional<int> line_of(const JsonPositions& lines, std::string pointer) {
  while (!pointer.empty()) {
    if (const auto found = lines.find(pointer); found != lines.end()) return found->second;
    pointer.erase(pointer.rfind('/'));
  }
  return std::nullopt;
}

}  // namespace tally
