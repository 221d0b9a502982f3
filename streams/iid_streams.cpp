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
          .epochs_per_task = 100,
          .batch = 256,
          .rate = 0.01,
          .slopes_rate = 0.01};
}

StreamEntry photographs(const std::string& data, std::int32_t classes) {
  return {.name = data,
          .description = "all classes at once",
          .a_task = "all training images, in a new order every epoch",
          .kind = StreamEntry::Kind::iid,
          .data = data,
          .classes = classes,
          .task_images = 50'000,
          .epochs_per_task = 200,
          .batch = 128,
          .rate = 0.1,
          .slopes_rate = 0.1,
          .standardised = true,
          .augment = true,
          .slopes = {.c = 3.0, .p = 5.0, .lower = 0.125, .upper = 0.333},
          .network = "convnet"};
}

}  // namespace

std::vector<StreamEntry> iid_streams() {
  return {digits("mnist"), digits("fashion-mnist"), photographs("cifar-10", 10), photographs("cifar-100", 100)};
}

}  // namespace cambium
