// cambium report: writes the results of a sweep as a page with figures.

#include <fmt/format.h>

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/study_output.hpp"

namespace cambium::cli {
namespace {

struct Flags {
  std::string folder, out;
  std::vector<std::string> history;
};

}  // namespace

void add_report(Command& root) {
  auto& command = root.add_command("report", "Write the results of a sweep as a page: tables, figures, histories");
  auto flags = std::make_shared<Flags>();
  command.add_option("DIR", flags->folder, "Folder of the sweep", {.required = true});
  command.add_option("--out", flags->out,
                     "File of the page; the figures go into a folder beside it. Default: DIR/report/index.html",
                     {.value = "FILE"});
  command.add_option("--history", flags->history,
                     "Cells whose structural history is shown, by name. Default: one per method and variant",
                     {.value = "CELL[,CELL...]", .list = ListForm::commas});
  command.set_footer(
      "The page works without a network. gnuplot draws the figures that the [[panel]] tables of the experiment "
      "describe "
      "(docs/figures.md); their scripts and data are kept beside them.");
  command.set_action([flags] {
    fmt::print("{}\n", make_report(flags->folder, flags->out, flags->history).string());
    return exit_done;
  });
}

}  // namespace cambium::cli
