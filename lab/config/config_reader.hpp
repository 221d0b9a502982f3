// Reading a configuration that is given as text, key by key, with errors that say what would be right.
#pragma once

#include <charconv>
#include <set>

#include "lab/config/config.hpp"

namespace cambium {

// Throws InputError, naming the nearest, when there is no such key; `where` it stands.
void check_name(const std::string& key, const std::string& where);

template <class T>
bool parse_number(const std::string& text, T& value) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stopped == end;
}

std::vector<std::string> split(const std::string& text);  // at commas

// The given keys, read one after another; what has been read has an effect, and the rest must not be there.
class Reader {
 public:
  explicit Reader(const ConfigText& given);

  bool given(const std::string& key) const { return given_.contains(key); }

  // Each has a value for a key that is not given.
  std::string text(const std::string& key, const std::string& otherwise);
  std::string choice(const std::string& key, const std::string& otherwise, const std::vector<std::string>& choices);
  double number(const std::string& key, double otherwise, double lowest, double highest);
  std::int32_t count(const std::string& key, std::int32_t otherwise, std::int32_t highest);
  bool yes(const std::string& key, bool otherwise);

  // To be named when a key has no effect because of it.
  void decided(const std::string& key, const std::string& value);
  void refuse_the_rest() const;

 private:
  const ConfigText& given_;
  std::set<std::string> read_;
  std::vector<std::string> choices_;
};

}  // namespace cambium
