#include "lab/run/archive.hpp"

#include <nlohmann/json.hpp>

namespace cambium {

Archive::Archive(const RunConfig& config, const ProgressSnapshot& at) : at_(at) {
  file_.metadata = {{"format", checkpoint_format},         {"cambium", CAMBIUM_VERSION},
                    {"config", to_json(config).dump()},    {"phase", at.ticket ? "ticket" : "cycles"},
                    {"period", std::to_string(at.period)}, {"step", std::to_string(at.step)},
                    {"events", std::to_string(at.events)}};
}

Archive::Archive(const TensorFile& file, const RunConfig& config)
    : at_(read_progress_snapshot(file, config)), source_(&file) {}

void Archive::parameters(const std::string& prefix, const ParameterLayout& full,
                         const std::function<std::vector<float>()>& get,
                         const std::function<void(const std::vector<float>&)>& set) {
  if (loading()) return set(read_parameters(*source_, prefix, full));
  // PyTorch's layout is made in the background.
  later_.push_back([prefix, full, values = get()](TensorFile& file) { add_parameters(file, prefix, full, values); });
}

void Archive::masks(const std::string& prefix, Structure& structure, const Architecture& architecture) {
  if (loading())
    structure = read_masks(*source_, prefix, architecture, structure.replicas());
  else
    add_masks(file_, prefix, architecture, structure);
}

void Archive::text(const std::string& key, std::string& value) {
  if (loading())
    value = source_->text(key);
  else
    file_.metadata[key] = value;
}

void Archive::custom(std::function<void(TensorFile&)> save, const std::function<void(const TensorFile&)>& load) {
  if (loading())
    load(*source_);
  else
    later_.push_back(std::move(save));
}

std::function<TensorFile()> Archive::finish() {
  return [file = std::move(file_), later = std::move(later_)]() mutable {
    for (auto& write : later) {
      write(file);
      write = {};  // free its values
    }
    return std::move(file);
  };
}

}  // namespace cambium
