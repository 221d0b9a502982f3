#include "tests/cli/slurm_cluster.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace {

using std::filesystem::path;

// Short timeouts: a requeued job waits for cred_expire, which is at least 5 seconds; a node that lost its job is
// accepted again soon.
constexpr auto configuration = R"(ClusterName=cambium
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
Epilog={folder}/epilog
ReturnToService=2
JobRequeue=0
BatchStartTimeout=1
KillWait=10
MinJobAge=10
JobAcctGatherType=jobacct_gather/none
NodeName=localhost NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
)";

// Two free ports.
std::array<int, 2> free_ports() {
  std::array<int, 2> sockets{}, ports{};
  for (std::size_t i = 0; i < 2; ++i) {
    sockets[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    if (bind(sockets[i], reinterpret_cast<sockaddr*>(&address), length) != 0 ||
        getsockname(sockets[i], reinterpret_cast<sockaddr*>(&address), &length) != 0)
      throw std::runtime_error("no port is free");
    ports[i] = ntohs(address.sin_port);
  }
  for (const int descriptor : sockets) close(descriptor);
  return ports;
}

std::string text_of(const path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

pid_t parent_of(pid_t process) {
  std::istringstream status(text_of(fmt::format("/proc/{}/status", process)));
  for (std::string word; status >> word;)
    if (pid_t parent = 0; word == "PPid:" && status >> parent) return parent;
  return 0;
}

}  // namespace

std::string SlurmCluster::obstacle() {
  if (geteuid() != 0) return "SLURM's daemons start jobs for other users, which needs root";
  for (const auto* program : {"munged", "slurmctld", "slurmd", "sbatch"})
    if (run_program(fmt::format("command -v {}", program)).code != 0)
      return fmt::format("{} is not installed; Debian's packages are munge, slurmctld, slurmd and slurm-client",
                         program);
  return {};
}

SlurmCluster::SlurmCluster() {
  for (const auto* name : {"state", "spool"}) std::filesystem::create_directory(folder_.path() / name);
  const auto at = [&](const char* name) { return (folder_.path() / name).string(); };
  {
    std::ofstream key(at("key"), std::ios::binary);
    const auto bytes = noise(1024, static_cast<std::uint32_t>(getpid()));
    key.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  std::filesystem::permissions(at("key"), std::filesystem::perms::owner_read);
  let_jobs_linger(0);
  keys_ = std::make_unique<StartedProgram>(
      fmt::format("munged --foreground --force --key-file={} --socket={} --pid-file={} --log-file={} --seed-file={}",
                  at("key"), at("munge.socket"), at("munge.pid"), at("munge.log"), at("munge.seed")));
  for (int i = 0; i < 200 && !std::filesystem::exists(at("munge.socket")); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  // Another process can take a port in the meantime; try again with other ports.
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto [controller_port, node_port] = free_ports();
    write_configuration(controller_port, node_port);
    controller_ = std::make_unique<StartedProgram>(on("slurmctld -D -c"));
    start_node();
    if (starts_up()) return;
    node_.reset();
    controller_.reset();
  }
  std::string logs;
  for (const auto* log : {"munge.log", "slurmctld.log", "slurmd.log"}) logs += text_of(at(log));
  throw std::runtime_error("the cluster does not start:\n" + logs);
}

SlurmCluster::~SlurmCluster() {
  crash_node();
  controller_.reset();
}

std::string SlurmCluster::on(const std::string& command) const {
  return fmt::format("env SLURM_CONF={} {}", (folder_.path() / "slurm.conf").string(), command);
}

void SlurmCluster::write_configuration(int controller_port, int node_port) const {
  std::ofstream(folder_.path() / "slurm.conf")
      << fmt::format(configuration, fmt::arg("folder", folder_.path().string()),
                     fmt::arg("controller_port", controller_port), fmt::arg("node_port", node_port));
}

bool SlurmCluster::starts_up() const {
  for (int i = 0; i < 100; ++i) {
    if (run_program(on("sinfo --noheader --format=%T")).output == "idle\n") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

void SlurmCluster::start_node() { node_ = std::make_unique<StartedProgram>(on("slurmd -D -N localhost")); }

void SlurmCluster::let_jobs_linger(int seconds) const {
  const auto file = folder_.path() / "epilog";
  std::ofstream(file) << fmt::format("#!/bin/sh\nsleep {}\n", seconds);
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
}

void SlurmCluster::crash_node() {
  node_.reset();
  kill_jobs();
}

// Kills all processes with a job number and this cluster's folder in their environment; first their slurmstepd parents,
// which would report the end to the controller.
void SlurmCluster::kill_jobs() const {
  std::set<pid_t> watchers, processes;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const auto environment = text_of(entry.path() / "environ");
    if (environment.find(folder_.path().string()) == std::string::npos ||
        environment.find("SLURM_JOB_ID=") == std::string::npos)
      continue;
    const pid_t process = std::stoi(entry.path().filename().string());
    processes.insert(process);
    const pid_t parent = parent_of(process);
    if (text_of(fmt::format("/proc/{}/comm", parent)) == "slurmstepd\n") watchers.insert(parent);
  }
  for (const pid_t process : watchers) kill(process, SIGKILL);
  for (const pid_t process : processes) kill(process, SIGKILL);
}
