// Whole data sets, in a new order every epoch.

#include "streams/stream_table.hpp"

namespace cambium {
namespace {

StreamEntry digits(const std::string& data) {
  return {.name = data,
          .description = "all classes at once",
          .a_task = "all training images, in a new order every epoch",
          .kind = StreamEntry::Kind::iid,
          .data = data,
          .classes = 10,
          .task_images = 60'000,
          .epochs_per_task = 100};
}

StreamEntry photographs(const std::string& data, std::int32_t classes) {
  return {.name = data,
          .description = "all classes at once",
          .a_task = "all training images, in a new order every epoch",
          .kind = StreamEntry::Kind::iid,
          .data = data,
          .classes = classes,
          .task_images = 50'000,
          .epochs_per_task = 200};
}

}  // namespace

std::vector<StreamEntry> iid_streams() {
  return {digits("mnist"), digits("fashion-mnist"), photographs("cifar-10", 10), photographs("cifar-100", 100)};
}

}  // namespace cambium
