// A whole SLURM cluster of one node for a test, with its own folder, key and ports: munged, slurmctld and slurmd, on
// the loopback address, with nothing of the machine's own configuration. Gone with all its jobs when it is destroyed.
#pragma once

#include <memory>

#include "tests/run_program.hpp"
#include "tests/streams/data/made_files.hpp"

class SlurmCluster {
 public:
  // Throws std::runtime_error, with the daemons' words, when it does not come up.
  SlurmCluster();
  ~SlurmCluster();
  SlurmCluster(const SlurmCluster&) = delete;

  // Why there can be none here; empty when there can.
  static std::string obstacle();

  // The command, as one that talks to this cluster.
  std::string on(const std::string& command) const;

  // The node loses its power: slurmd, and all that runs on it, are gone at once.
  void crash_node();
  void start_node();
  // So long after its end a job is still in the queue, as one that is being cleared away.
  void let_jobs_linger(int seconds) const;
  void stop_controller() { controller_.reset(); }

 private:
  void write_configuration(int controller_port, int node_port) const;
  bool comes_up() const;
  void kill_jobs() const;

  TemporaryFolder folder_;
  std::unique_ptr<StartedProgram> keys_, controller_, node_;
};
