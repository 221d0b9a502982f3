// Another program, run to its end: what it said, and how it ended. No shell is in between.
#pragma once

#include <string>
#include <vector>

namespace cambium {

struct CommandEnd {
  int exit_code = 0;  // 128 and the number of the signal that ended it
  std::string output, errors;
};

// `words`: a program on the PATH, and its arguments; `input`: what it is given to read. Ctrl-C does not reach it.
// Throws InputError when there is no such program.
CommandEnd run_command(std::vector<std::string> words, const std::string& input = {});

// An argument of a command, as a shell takes it.
std::string shell_word(const std::string& text);

}  // namespace cambium
