#include "streams/data/data_file.hpp"

#include <algorithm>

#include "streams/data/catalogue.hpp"

namespace cambium {

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(text.begin() + static_cast<std::ptrdiff_t>(i - 3), ' ');
  return text;
}

void DataFile::refuse_because(const std::string& what) const {
  throw_input_error("{}: {}. {}", shown, what, how_to_replace(data_set));
}

void check_labels(const DataFile& file, std::span<const std::uint8_t> labels, std::int32_t classes,
                  const char* content) {
  const auto wrong = std::find_if(labels.begin(), labels.end(), [&](std::uint8_t label) { return label >= classes; });
  if (wrong != labels.end())
    file.refuse("{} {} of image {} is above the highest, {}; the file is damaged or belongs to another data set",
                content, *wrong, grouped(static_cast<std::uint64_t>(wrong - labels.begin())), classes - 1);
}

}  // namespace cambium
