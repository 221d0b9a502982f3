// Choosing a device by its rank or by the user's request.

#include <algorithm>
#include <sstream>

#include "sycl/handles.hpp"

namespace cambium {
namespace {

std::string known_devices(const std::vector<DeviceInfo>& devices) {
  std::string text;
  for (const auto& device : devices)
    text += fmt::format("\n  {}  {:<18} {}{}", device.index, device.selector(), device.name,
                        device.unusable.empty() ? "" : "  (not usable: " + device.unusable + ")");
  return text;
}

// True if the request is the device's index or a selector [backend:]type[:ordinal] that matches it.
bool is_selected(const DeviceInfo& device, const std::string& request) {
  if (request == std::to_string(device.index)) return true;
  std::vector<std::string> parts;
  std::istringstream stream(request);
  for (std::string part; std::getline(stream, part, ':');) parts.push_back(part);
  const auto is_type = [](const std::string& part) { return part == "cpu" || part == "gpu" || part == "accelerator"; };
  if (!parts.empty() && is_type(parts[0])) parts.insert(parts.begin(), "*");
  if (parts.size() < 2 || parts.size() > 3) return false;
  return (parts[0] == "*" || parts[0] == device.backend) && parts[1] == device.type &&
         (parts.size() == 2 || parts[2] == std::to_string(device.ordinal));
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// True if the request is a part of the name, vendor or platform. It must contain a letter: a number is an index.
bool is_named(const DeviceInfo& device, const std::string& request) {
  if (std::none_of(request.begin(), request.end(), [](unsigned char c) { return std::isalpha(c); })) return false;
  const auto has = [&](const std::string& text) {
    return lower_case(text).find(lower_case(request)) != std::string::npos;
  };
  return has(device.name) || has(device.vendor) || has(device.platform);
}

template <class Fits>
std::vector<DeviceInfo> filter(const std::vector<DeviceInfo>& devices, Fits&& fits) {
  std::vector<DeviceInfo> found;
  std::copy_if(devices.begin(), devices.end(), std::back_inserter(found), std::forward<Fits>(fits));
  return found;
}

// The first backend that works; null if none does.
const BackendStatus* chosen_backend(const std::vector<BackendStatus>& backends) {
  const auto found =
      std::find_if(backends.begin(), backends.end(), [](const auto& backend) { return backend.why_not.empty(); });
  return found == backends.end() ? nullptr : &*found;
}

// The number of backends of an operation that are faster than the one that runs on the device.
std::ptrdiff_t missed_backends(const std::vector<BackendStatus>& backends) {
  const auto* chosen = chosen_backend(backends);
  return chosen == nullptr ? std::ssize(backends) : chosen - backends.data();
}

// The order of preference of devices, by the most important criterion first. OpenCL CPUs are runtimes of the same
// processor: they differ by the backends that work on them; the clock frequencies that they report are not comparable.
// A card that several SYCL backends list is the same hardware: its OpenCL device comes last.
struct Rank {
  int type;
  std::ptrdiff_t missed_backends;
  double speed;
  bool native_driver;
  auto operator<=>(const Rank&) const = default;
};

Rank rank_of(const DeviceInfo& device) {
  return {.type = device.type == "gpu"   ? 2
                  : device.type == "cpu" ? 1
                                         : 0,
          .missed_backends = device.is_cpu() ? -missed_backends(device.gemm) - missed_backends(device.convolution) : 0,
          .speed = static_cast<double>(device.compute_units) * device.clock_megahertz,
          .native_driver = device.backend != "opencl"};
}

// The best and the second best usable device; null if there is none.
std::pair<const DeviceInfo*, const DeviceInfo*> best_two(const std::vector<DeviceInfo>& devices) {
  const DeviceInfo *first = nullptr, *second = nullptr;
  for (const auto& device : devices) {
    if (!device.unusable.empty()) continue;
    if (first == nullptr || rank_of(device) > rank_of(*first))
      second = std::exchange(first, &device);
    else if (second == nullptr || rank_of(device) > rank_of(*second))
      second = &device;
  }
  return {first, second};
}

// The backends of the better device that the other one lacks, such as "convolution onednn".
std::string backends_ahead(const DeviceInfo& better, const DeviceInfo& other) {
  std::string text;
  for (const auto& [operation, backends] :
       {std::pair("GEMM", &DeviceInfo::gemm), {"convolution", &DeviceInfo::convolution}})
    if (missed_backends(better.*backends) < missed_backends(other.*backends))
      text += fmt::format("{}{} {}", text.empty() ? "" : " and ", operation, chosen_backend(better.*backends)->name);
  return text;
}

std::string tag(const DeviceInfo& device) { return fmt::format("{} [{}]", device.name, device.selector()); }

}  // namespace

const DeviceInfo* default_device(const std::vector<DeviceInfo>& devices) { return best_two(devices).first; }

std::string why_default(const std::vector<DeviceInfo>& devices) {
  const auto [best, next] = best_two(devices);
  if (best == nullptr) return {};
  if (next == nullptr) return "it is the only usable device";
  const Rank first = rank_of(*best), second = rank_of(*next);
  if (first.type != second.type) return fmt::format("it is the only usable {}", best->type);
  if (first.missed_backends != second.missed_backends)
    return fmt::format("{} works on it, and not on {}", backends_ahead(*best, *next), tag(*next));
  if (first.speed != second.speed)
    return fmt::format("{} compute units at {} MHz are more than the {} at {} MHz of {}", best->compute_units,
                       best->clock_megahertz, next->compute_units, next->clock_megahertz, tag(*next));
  if (first.native_driver != second.native_driver)
    return fmt::format("its driver is native, where {} uses OpenCL", tag(*next));
  return fmt::format("it comes before {}, which is equally good", tag(*next));
}

const DeviceInfo& choose_device(const std::vector<DeviceInfo>& devices, const std::string& request) {
  if (request.empty()) {
    if (const auto* best = default_device(devices)) return *best;
    const char* selector = std::getenv("ONEAPI_DEVICE_SELECTOR");
    if (selector != nullptr)
      throw_input_error("ONEAPI_DEVICE_SELECTOR={} leaves no usable device.{}", selector, known_devices(devices));
    throw_device_error(
        "no usable SYCL device. The CPU needs libintelocl.so beside libsycl.so, a GPU its vendor's driver; see "
        "docs/portability.md.{}",
        known_devices(devices));
  }
  const auto usable = [](const DeviceInfo& device) { return device.unusable.empty(); };
  const auto in_list = [&](const DeviceInfo& copy) -> const DeviceInfo& {
    return *std::find_if(devices.begin(), devices.end(),
                         [&](const auto& device) { return device.index == copy.index; });
  };
  auto found = filter(devices, [&](const auto& device) { return is_selected(device, request); });
  if (const auto* best = default_device(found)) return in_list(*best);
  if (found.empty()) {
    found = filter(devices, [&](const auto& device) { return is_named(device, request); });
    if (const auto can = filter(found, usable); can.size() == 1)
      return in_list(can.front());
    else if (can.size() > 1)
      throw_input_error("--device {}: several devices match; write the number of one:{}", request, known_devices(can));
  }
  if (!found.empty())
    throw_input_error("--device {}: {} cannot be used: {}", request, found.front().name, found.front().unusable);
  throw_input_error("--device {}: unknown device. Known devices:{}", request, known_devices(devices));
}

namespace {

std::vector<sycl::device> parts_of(const sycl::device& device) {
  using Property = sycl::info::partition_property;
  const auto known = device.get_info<sycl::info::device::partition_properties>();
  const auto can = [&](Property property) { return std::find(known.begin(), known.end(), property) != known.end(); };
  if (can(Property::partition_by_affinity_domain)) {
    try {
      auto parts = device.create_sub_devices<Property::partition_by_affinity_domain>(
          sycl::info::partition_affinity_domain::next_partitionable);
      if (parts.size() > 1) return parts;
    } catch (const sycl::exception&) {  // Drivers refuse if the result would be a single part.
    }
  }
  const auto units = device.get_info<sycl::info::device::max_compute_units>();
  if (!can(Property::partition_equally) || units < 2) return {};
  return device.create_sub_devices<Property::partition_equally>(units / 2);
}

DeviceInfo part_of(const DeviceInfo& whole, int part, const std::string& request) {
  std::vector<sycl::device> parts;
  calling_sycl(fmt::format("dividing {}", whole.name), [&] { parts = parts_of(whole.handle->device); });
  if (parts.empty()) throw_input_error("--device {}: {} cannot be divided", request, whole.name);
  if (part >= static_cast<int>(parts.size()))
    throw_input_error("--device {}: {} has {} parts, {}.0 to {}.{}", request, whole.name, parts.size(), whole.index,
                      whole.index, parts.size() - 1);
  DeviceInfo info = describe(parts[static_cast<std::size_t>(part)]);
  info.index = whole.index;
  info.ordinal = whole.ordinal;
  info.part = part;
  return info;
}

DeviceInfo find_among(const std::vector<DeviceInfo>& devices, const std::string& request) {
  const std::size_t dot = request.rfind('.');
  const bool has_part = dot != std::string::npos && dot > 0 && dot + 1 < request.size() && request.size() - dot < 6 &&
                        std::all_of(request.begin() + static_cast<std::ptrdiff_t>(dot) + 1, request.end(),
                                    [](unsigned char c) { return std::isdigit(c); });
  if (!has_part) return choose_device(devices, request);
  return part_of(choose_device(devices, request.substr(0, dot)), std::stoi(request.substr(dot + 1)), request);
}

}  // namespace

DeviceInfo find_device(const std::string& request) {
  if (request.find(',') != std::string::npos)
    throw_input_error("--device {}: this command takes one device; `cambium train` and `cambium sweep` take several",
                      request);
  return find_among(list_devices(), request);
}

std::vector<DeviceInfo> find_devices(const std::string& requests) {
  const auto devices = list_devices();
  if (requests.empty()) return {choose_device(devices, "")};
  std::vector<DeviceInfo> found;
  for (std::size_t begin = 0; begin <= requests.size();) {
    const std::size_t end = std::min(requests.find(',', begin), requests.size());
    const auto request = requests.substr(begin, end - begin);
    if (request.empty())
      throw_input_error("--device {}: a name is missing; write devices as `cambium devices` shows them: 0,1", requests);
    auto next = find_among(devices, request);
    for (const auto& other : found)
      if (other.index == next.index && (other.part == next.part || other.part < 0 || next.part < 0))
        throw_input_error("--device {}: {} and {} are the same hardware; name every device once", requests,
                          other.selector(), next.selector());
    found.push_back(std::move(next));
    begin = end + 1;
  }
  return found;
}

}  // namespace cambium
