#include "lab/report/sessions.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

namespace cambium {

std::vector<DeviceUse> devices_used(std::span<const std::filesystem::path> folders) {
  std::map<std::tuple<std::string, std::string, std::string>, DeviceUse> uses;
  for (const auto& folder : folders) {
    std::ifstream stream(folder / "sessions.jsonl");
    std::set<DeviceUse*> here;
    DeviceUse* use = nullptr;
    for (std::string line; std::getline(stream, line);) {
      const auto json = nlohmann::json::parse(line, nullptr, false);
      if (!json.is_object()) continue;
      const auto text = [&](const char* key) {
        const auto found = json.find(key);
        return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
      };
      if (json.contains("began")) {
        use = &uses[{text("device"), text("driver"), text("cambium")}];
        use->device = text("device");
        use->driver = text("driver");
        use->cambium = text("cambium");
        if (const auto began = text("began"); use->first.empty() || began < use->first) use->first = began;
        here.insert(use);
      } else if (json.contains("ended") && use != nullptr) {
        use->last = std::max(use->last, text("ended"));
        if (const auto seconds = json.find("seconds"); seconds != json.end() && seconds->is_number())
          use->seconds += seconds->get<double>();
      }
    }
    for (auto* device : here) ++device->cells;
  }
  std::vector<DeviceUse> result;
  for (const auto& [key, use] : uses) result.push_back(use);
  std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.cells > b.cells; });
  return result;
}

}  // namespace cambium
