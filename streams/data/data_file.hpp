// One file of a data set, unpacked in memory. A reader that finds it damaged calls refuse().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace cambium {

// 47040016 as "47 040 016".
std::string grouped(std::uint64_t number);

struct DataFile {
  std::string shown;     // its name in errors: a path, or archive(member)
  std::string data_set;  // the name of the data set, for advice in errors
  std::vector<std::uint8_t> bytes;

  // Throws InputError with the name of the file, `what`, and how to replace the file.
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> what, Args&&... args) const {
    refuse_because(fmt::format(what, std::forward<Args>(args)...));
  }

 private:
  [[noreturn]] void refuse_because(const std::string& what) const;
};

// Refuses the file unless every label is below `classes`. `content` is the kind of label, for errors.
void check_labels(const DataFile& file, std::span<const std::uint8_t> labels, std::int32_t classes,
                  const char* content = "label");

}  // namespace cambium
