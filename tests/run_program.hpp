// Runs a program as a user would, and keeps what it printed and how it ended.
#pragma once

#include <string>

struct Ended {
  int code = -1;
  std::string output, errors;
};

// `command` goes through the shell.
Ended run_program(const std::string& command);
