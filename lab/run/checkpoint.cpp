#include "lab/run/checkpoint.hpp"

#include <map>
#include <nlohmann/json.hpp>

namespace cambium {
namespace {

void persist(Archive& archive, Trainer& trainer) {
  const auto& full = trainer.compaction().full();
  Structure structure = trainer.compaction().structure();
  archive.masks("mask.", structure, full.architecture);
  if (archive.loading()) trainer.restructure(structure);
  archive.parameters(
      "", full, [&] { return trainer.parameters(); }, [&](const auto& values) { trainer.set_parameters(values); });
  const auto names = trainer.optimizer().moment_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    archive.parameters(
        fmt::format("optimizer.{}.", names[i]), full, [&] { return trainer.moments(i); },
        [&](const auto& values) { trainer.set_moments(i, values); });
  auto steps = trainer.optimizer().steps();
  archive.values("optimizer.steps", {static_cast<std::int64_t>(full.layers.size()), full.replicas}, steps);
  if (archive.loading()) trainer.optimizer().set_steps(std::move(steps));
}

// The lengths of the journals, in the metadata.
void persist_journals(Archive& archive, const std::vector<Persistent*>& parts) {
  std::map<std::string, std::uint64_t> lengths;
  for (Persistent* part : parts)
    for (const Journal* journal : part->journals()) lengths[journal->name()] = journal->bytes();
  std::string text = nlohmann::json(lengths).dump();
  archive.text("journals", text);
  if (!archive.loading()) return;
  try {
    lengths = nlohmann::json::parse(text).get<std::map<std::string, std::uint64_t>>();
  } catch (const nlohmann::json::exception&) {
    throw_input_error("{}: the lengths of the journals are {}; the file is damaged", archive.source(), text);
  }
  for (Persistent* part : parts)
    for (Journal* journal : part->journals()) journal->rewind(lengths[journal->name()]);
}

}  // namespace

std::function<TensorFile()> make_checkpoint(const RunConfig& config, const ProgressSnapshot& at, Trainer& trainer,
                                            const std::vector<Persistent*>& parts) {
  Archive archive(config, at);
  for (Persistent* part : parts)
    for (const Journal* journal : part->journals()) journal->sync();
  persist_journals(archive, parts);
  persist(archive, trainer);
  for (Persistent* part : parts) part->persist(archive);
  return archive.finish();
}

ProgressSnapshot load_checkpoint(const TensorFile& file, const RunConfig& config, Trainer& trainer,
                                 const std::vector<Persistent*>& parts) {
  Archive archive(file, config);
  persist(archive, trainer);
  for (Persistent* part : parts) part->persist(archive);
  persist_journals(archive, parts);
  return archive.at();
}

BackgroundWriter::~BackgroundWriter() {
  if (task_.valid()) task_.wait();
}

void BackgroundWriter::write(std::function<TensorFile()> make, std::filesystem::path path) {
  finish();
  task_ = std::async(std::launch::async,
                     [make = std::move(make), path = std::move(path)]() mutable { make().write(path); });
}

void BackgroundWriter::finish() {
  if (task_.valid()) task_.get();
}

}  // namespace cambium
