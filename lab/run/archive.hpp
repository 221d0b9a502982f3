// A checkpoint while it is being written or read. An object that persists declares its tensors once, for both
// directions: values are written to the file when saving and assigned from it when loading.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/results/progress_snapshot.hpp"
#include "lab/run/network_tensors.hpp"

namespace cambium {

class Archive {
 public:
  // Saves the state of a run at `at`.
  Archive(const RunConfig& config, const ProgressSnapshot& at);
  // Loads from a file, which must outlive the archive. Throws InputError if it belongs to another run.
  Archive(const TensorFile& file, const RunConfig& config);

  bool loading() const { return source_ != nullptr; }
  const ProgressSnapshot& at() const { return at_; }
  std::string source() const { return source_->source(); }  // when loading: the name of the file
  bool contains(const std::string& tensor) const { return source_->contains(tensor); }

  // A tensor of this shape, which may have one axis of any length, -1. Loading throws InputError if it does not fit.
  template <class T>
  void values(const std::string& name, std::vector<std::int64_t> shape, std::vector<T>& values) {
    if (loading()) {
      values = source_->values<T>(name, shape);
      return;
    }
    std::int64_t each = 1;
    for (const std::int64_t length : shape) each *= length < 0 ? 1 : length;
    for (auto& length : shape)
      if (length < 0) length = static_cast<std::int64_t>(values.size()) / each;
    file_.tensors[name] = Tensor::of<T>(std::move(shape), values);
  }
  // The same; if there are no values, the file has no tensor.
  template <class T>
  void optional_values(const std::string& name, const std::vector<std::int64_t>& shape, std::vector<T>& values) {
    if (loading() && !contains(name))
      values.clear();
    else if (loading() || !values.empty())
      this->values(name, shape, values);
  }
  // Parameters in the full layout, one tensor for each. Saving calls `get`, loading calls `set`.
  void parameters(const std::string& prefix, const ParameterLayout& full,
                  const std::function<std::vector<float>()>& get,
                  const std::function<void(const std::vector<float>&)>& set);
  void masks(const std::string& prefix, Structure& structure, const Architecture& architecture);
  // One entry of the metadata.
  void text(const std::string& key, std::string& value);
  // For other formats: saving calls `save` with the file, perhaps later and in another thread; loading calls `load`.
  void custom(std::function<void(TensorFile&)> save, const std::function<void(const TensorFile&)>& load);

  // When all parts are saved: the function that makes the file.
  std::function<TensorFile()> finish();

 private:
  ProgressSnapshot at_;
  const TensorFile* source_ = nullptr;
  TensorFile file_;
  std::vector<std::function<void(TensorFile&)>> later_;
};

}  // namespace cambium
