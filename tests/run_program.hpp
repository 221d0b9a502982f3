// Runs a program as a user would, and keeps what it printed and how it ended.
#pragma once

#include <string>

struct Ended {
  int code = -1;
  std::string output, errors;
};

// `command` goes through the shell.
Ended run_program(const std::string& command);

// A program that runs beside the test, and is killed when it is forgotten.
class StartedProgram {
 public:
  explicit StartedProgram(const std::string& command);  // through the shell, whose place it takes
  ~StartedProgram();
  StartedProgram(const StartedProgram&) = delete;

  void signal(int number) const;
  int pid() const { return pid_; }
  bool running();
  Ended wait();  // a signal that ended it is 128 and its number

 private:
  int pid_, status_ = 0;
  bool running_ = true;
  std::string output_, errors_;  // files
};
