// One edit of a run, as a sequence: begin (the constructor), score, choose, apply, rewind, end.
#pragma once

#include <optional>

#include "lab/config/config.hpp"
#include "lab/training/trainer.hpp"
#include "plasticity/edit.hpp"
#include "streams/curriculum.hpp"

namespace cambium {

class EditSession {
 public:
  // Begins edit number `event`: loads the event's batch and opens the trainer for an edit. The arguments must outlive
  // the session.
  EditSession(Device& device, const RunConfig& config, const Curriculum& curriculum, Trainer& trainer,
              const DeviceImages& images, std::int32_t event);

  void score();   // evaluates the batch with the old masks and scores the units
  void choose();  // selects the units of the event
  void apply();   // changes the masks
  // Gives the new structure to the trainer now, so that diagnostics can observe the networks before a rewind.
  void publish();
  void rewind(View<const float> target);  // PRUNE only; `target`: parameters in the full layout
  void end();                             // gives the networks back to the trainer

  // What the edit has done so far.
  const Edit& edit() const { return edit_; }
  // Time for loading the batch and for all passes over it.
  double seconds_on_batch() const { return seconds_loading_ + pass_.seconds(); }

  // The images of an event's batch, (R, rows).
  static std::vector<std::int32_t> scoring_batch(const RunConfig& config, const Curriculum& curriculum,
                                                 std::int32_t event);

 private:
  void load_batch();
  void open();
  void close();
  EditContext context() { return {device_, *networks_, config_.seeds, config_.activation, pass_}; }

  Device& device_;
  const RunConfig& config_;
  Trainer& trainer_;
  const DeviceImages& images_;
  EditTime time_;
  Buffer<std::uint32_t> seeds_;
  Buffer<std::int32_t> batch_;
  DeviceTasks task_;
  ScoringPass pass_;
  std::optional<FullForm> networks_;  // while the trainer is open
  double seconds_loading_ = 0;
  Edit edit_;
};

}  // namespace cambium
