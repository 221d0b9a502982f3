// A SLURM cluster of one node for a test: munged, slurmctld and slurmd on the loopback address, with their own folder,
// key and ports, independent of the machine's configuration. The destructor stops it with all its jobs.
#pragma once

#include <memory>

#include "tests/run_program.hpp"
#include "tests/streams/data/made_files.hpp"

class SlurmCluster {
 public:
  // Throws std::runtime_error with the daemons' logs if it does not start.
  SlurmCluster();
  ~SlurmCluster();
  SlurmCluster(const SlurmCluster&) = delete;

  // Why a cluster cannot run on this machine; empty if it can.
  static std::string obstacle();

  // The command with an environment that selects this cluster.
  std::string on(const std::string& command) const;

  // Kills slurmd and all jobs at once, as a power failure does.
  void crash_node();
  void start_node();
  // A job stays in the queue as completing for this time after its end.
  void let_jobs_linger(int seconds) const;
  void stop_controller() { controller_.reset(); }

 private:
  void write_configuration(int controller_port, int node_port) const;
  bool starts_up() const;
  void kill_jobs() const;

  TemporaryFolder folder_;
  std::unique_ptr<StartedProgram> keys_, controller_, node_;
};
