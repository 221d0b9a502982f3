#include "streams/stream.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/shuffle.hpp"
#include "streams/stream_table.hpp"

namespace cambium {

std::span<const StreamEntry> streams() {
  static const std::vector<StreamEntry> all = [] {
    std::vector<StreamEntry> entries;
    for (const auto& group : {iid_streams(), split_streams(), permuted_streams(), random_label_streams(),
                              five_plus_one_streams(), continual_imagenet_streams()})
      entries.insert(entries.end(), group.begin(), group.end());
    return entries;
  }();
  return all;
}

ImagesByClass::ImagesByClass(std::span<const std::uint16_t> labels, std::int32_t classes)
    : images(static_cast<std::size_t>(classes)), count(static_cast<std::uint32_t>(labels.size())) {
  for (std::uint32_t i = 0; i < count; ++i) images.at(labels[i]).push_back(static_cast<std::int32_t>(i));
}

bool task_counts(const StreamEntry& entry, std::int32_t task) { return entry.counts == nullptr || entry.counts(task); }

std::vector<std::string> stream_names() {
  std::vector<std::string> names;
  for (const auto& entry : streams()) names.push_back(entry.name);
  return names;
}

const StreamEntry& stream_entry(const std::string& name) {
  for (const auto& entry : streams())
    if (entry.name == name) return entry;
  const auto names = stream_names();
  const auto near = nearest(name, names);
  if (!near.empty()) throw_input_error("unknown stream '{}'. Did you mean {}?", name, near);
  throw_input_error("unknown stream '{}'. The streams are {}", name, fmt::join(names, ", "));
}

std::vector<std::int32_t> fixed_images(const TaskRequest& request) {
  if (request.images > request.data.count)
    throw_input_error("a task of {} images: the data set has {} training images. Choose fewer", request.images,
                      request.data.count);
  auto images = drawn(request.data.count, request.images, request.key(), 0);
  std::sort(images.begin(), images.end());
  return images;
}

std::vector<std::int32_t> class_order(const TaskRequest& request) {
  return shuffled(static_cast<std::uint32_t>(request.data.images.size()), request.key(), 0);
}

std::vector<std::int32_t> images_of(const TaskRequest& request, std::span<const std::int32_t> classes) {
  std::vector<std::int32_t> images;
  for (const std::int32_t each : classes) {
    const auto& own = request.data.images.at(static_cast<std::size_t>(each));
    images.insert(images.end(), own.begin(), own.end());
  }
  std::sort(images.begin(), images.end());
  return images;
}

}  // namespace cambium
