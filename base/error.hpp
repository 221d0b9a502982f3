// Errors, and the exit codes of the program.
//
// Every message says what is wrong, where, and what to do next, in that order. Library code throws; only cli/main.cpp
// turns an error into an exit code.
#pragma once

#include <fmt/format.h>

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace cambium {

enum ExitCode { exit_done = 0, exit_internal = 1, exit_input = 2, exit_failure = 3, exit_interrupted = 4 };

// The user's input is wrong: a flag, a configuration, the content of a file. Exit code 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The machine around the program failed: disk, memory, network, or a program that Cambium starts (gnuplot, SLURM).
// Exit code 3.
struct EnvironmentError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The device, its driver or a vendor library failed. Exit code 3.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class... Args>
[[noreturn]] void throw_input_error(fmt::format_string<Args...> text, Args&&... args) {
  throw InputError(fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
[[noreturn]] void throw_environment_error(fmt::format_string<Args...> text, Args&&... args) {
  throw EnvironmentError(fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
[[noreturn]] void throw_device_error(fmt::format_string<Args...> text, Args&&... args) {
  throw DeviceError(fmt::format(text, std::forward<Args>(args)...));
}

// Throws std::logic_error if the condition is false, which only a bug in the program can cause.
template <class... Args>
void expect(bool condition, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) throw std::logic_error(fmt::format(text, std::forward<Args>(args)...));
}

// Returns the candidate most similar to `word`, for "did you mean ...?"; empty if none is similar.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace cambium
