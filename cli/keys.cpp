// cambium keys: prints the configuration keys as the page docs/configuration.md.

#include <fmt/format.h>

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "lab/config/key.hpp"

namespace cambium::cli {

void add_keys(Command& root) {
  auto& command = root.add_command("keys", "Describe the configuration keys of train and of experiments, in Markdown");
  command.set_action([] {
    fmt::print("{}", keys_as_markdown());
    return exit_done;
  });
}

}  // namespace cambium::cli
