#include "streams/order.hpp"

#include "sycl/shuffle.hpp"

namespace cambium {

EpochOrder::EpochOrder(std::uint32_t images, std::uint32_t batch, std::uint32_t epoch,
                       std::span<const std::uint32_t> seeds)
    : images_(images),
      batch_(batch),
      replicas_(static_cast<std::uint32_t>(seeds.size())),
      indices_(std::size_t{images} * seeds.size()) {
  for (std::size_t replica = 0; replica < seeds.size(); ++replica) {
    const auto order = shuffled(images, {{seeds[replica], philox::data_order}}, epoch);
    for (std::uint32_t step = 0; step < steps(); ++step)
      std::copy_n(order.begin() + std::ptrdiff_t{step} * batch, rows(step),
                  indices_.begin() + static_cast<std::ptrdiff_t>(begin(step) + replica * rows(step)));
  }
}

}  // namespace cambium
