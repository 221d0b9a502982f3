// Reading a configuration that is given as text, key by key, with errors that say what would be right.
#pragma once

#include <set>

#include "base/text.hpp"
#include "lab/config/config.hpp"

namespace cambium {

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
