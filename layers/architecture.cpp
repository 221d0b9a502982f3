#include "layers/architecture.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace cambium {
namespace {

struct Entry {
  const char* name;
  std::vector<std::int32_t> trunk, hidden;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{{"mlp", {}, {256, 256}}, {"convnet", {32, 64}, {512, 512, 256}}};
  return all;
}

}  // namespace

std::vector<std::int64_t> LayerShape::weight_shape() const {
  if (convolution) return {units, inputs, 3, 3};
  return {units, inputs};
}

ImageShape Architecture::features() const {
  ImageShape shape = image;
  for (const auto channels : trunk) shape = {shape.height / 2, shape.width / 2, channels};
  return shape;
}

std::vector<LayerShape> Architecture::layers() const {
  std::vector<LayerShape> all;
  ImageShape seen = image;
  for (std::size_t i = 0; i < trunk.size(); ++i) {
    all.push_back({fmt::format("conv{}", i + 1), true, seen.channels, trunk[i], seen});
    seen = {seen.height / 2, seen.width / 2, trunk[i]};
  }
  std::int32_t inputs = seen.size();
  for (std::size_t i = 0; i <= hidden.size(); ++i) {
    const std::int32_t units = i < hidden.size() ? hidden[i] : classes;
    all.push_back({fmt::format("fc{}", i + 1), false, inputs, units, i == 0 ? seen : ImageShape{1, 1, inputs}});
    inputs = units;
  }
  return all;
}

std::string Architecture::hidden_name(std::size_t hidden_layer) const { return fmt::format("fc{}", hidden_layer + 1); }

std::int64_t Architecture::parameter_count() const {
  std::int64_t count = 0;
  for (const auto& layer : layers()) count += layer.weights() + layer.units;
  return count;
}

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const auto& entry : entries()) names.push_back(entry.name);
  return names;
}

Architecture make_architecture(const std::string& name, const ImageShape& image, std::int32_t classes,
                               const std::vector<std::int32_t>& hidden) {
  const auto entry = std::find_if(entries().begin(), entries().end(), [&](const Entry& e) { return e.name == name; });
  if (entry == entries().end())
    throw_input_error("network {}: there is no such network; there are: {}", name, fmt::join(network_names(), ", "));
  Architecture result{name, image, entry->trunk, entry->hidden, classes};
  if (hidden.size() == 1)
    result.hidden.assign(entry->hidden.size(), hidden.front());
  else if (!hidden.empty())
    result.hidden = hidden;
  if (result.hidden.size() != entry->hidden.size())
    throw_input_error("hidden = {}: the network {} has {} hidden layers; give one width for all, or one each",
                      fmt::join(hidden, ","), name, entry->hidden.size());
  for (const auto width : result.hidden)
    if (width < 1 || width > 65536) throw_input_error("hidden = {}: a layer has 1 to 65536 units", width);
  const ImageShape features = result.features();
  if (features.height < 1 || features.width < 1)
    throw_input_error("network {}: images of {} x {} are too small for it", name, image.height, image.width);
  return result;
}

}  // namespace cambium
