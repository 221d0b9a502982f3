#include "lab/run/trace_observer.hpp"

#include "lab/run/edits.hpp"
#include "lab/run/position.hpp"

namespace cambium {

TraceObserver::TraceObserver(std::filesystem::path file, const RunConfig& config, const RunFolder& folder,
                             Trainer& trainer, Curriculum& curriculum)
    : file_(std::move(file)), config_(config), folder_(folder), trainer_(trainer), curriculum_(curriculum) {}

void TraceObserver::persist(Archive& archive) {
  const auto& at = archive.at();
  const auto& full = trainer_.compaction().full();
  record_.ticket = at.ticket;
  archive.optional_values("run.step_losses", {-1, full.replicas}, record_.step_losses);
  archive.optional_values("run.cycles_losses", {-1, full.replicas}, record_.cycles_losses);
  archive.custom(
      [edits = record_.edits, architecture = full.architecture](TensorFile& file) {
        for (const auto& edit : edits) add_edit(file, "trace.", architecture, edit);
      },
      [&](const TensorFile& file) {
        const auto first = static_cast<std::uint32_t>(config_.events().first());
        for (auto event = first; event < first + static_cast<std::uint32_t>(at.events); ++event)
          if (file.contains(fmt::format("trace.mask.{}.{}", event, full.architecture.hidden_name(0))))
            record_.edits.push_back(read_edit(file, "trace.", full.architecture, full.replicas, event));
      });
  if (!archive.loading()) return;
  if (file_.empty())
    record_ = {.ticket = at.ticket};
  else if (!is_complete(at))
    throw_input_error(
        "--trace: the run was started without it, so data of its first {} steps and {} edits are missing. Trace a new "
        "run in another folder.",
        steps_in_all(config_, at), at.events);
}

// Whether the record contains all steps and edits so far.
bool TraceObserver::is_complete(const ProgressSnapshot& at) const {
  const std::size_t replicas = trainer_.replicas();
  return record_.step_losses.size() == steps_in_phase(config_, at) * replicas &&
         record_.cycles_losses.size() == (at.ticket ? steps_per_phase(config_) : 0) * replicas &&
         record_.edits.size() == static_cast<std::size_t>(at.events);
}

void TraceObserver::steps_done(const StepsDone& done) {
  if (file_.empty()) return;
  for (const StepResult& result : done.results)
    record_.step_losses.push_back(result.images == 0 ? 0.0f : static_cast<float>(result.loss / result.images));
}

void TraceObserver::edit_done(const ProgressSnapshot&, const Edit& edit) {
  if (!file_.empty()) record_.edits.push_back({edit.event, edit.after, edit.scores, edit.donors});
}

void TraceObserver::ticket_begins() {
  record_.ticket = true;
  record_.cycles_losses = std::exchange(record_.step_losses, {});
}

void TraceObserver::finish(nlohmann::ordered_json&) {
  if (file_.empty()) return;
  const auto& full = trainer_.compaction().full();
  const auto last = trainer_.parameters();
  const auto of_cycles = record_.ticket ? read_parameters(TensorFile::read(folder_.end_of_cycles()), "", full) : last;
  const auto first =
      config_.edits() ? initial_structure(config_, full.architecture) : trainer_.compaction().structure();
  write_trace(file_, config_, record_, curriculum_, full, first, of_cycles, last);
}

}  // namespace cambium
