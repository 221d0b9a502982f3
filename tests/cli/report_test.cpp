// cambium report, and its page in a browser.

#include <gmock/gmock.h>

#include <fstream>

#include "tests/cli/run_files.hpp"

using testing::HasSubstr;
using testing::Not;

namespace {

constexpr auto grid = R"(
title = "An experiment whose title is so long that a narrow screen must break it into several lines"
[all]
stream = "fashion-mnist"
epochs = 10
seeds = "1..3"
[[cells]]
method = "dense"
[[cells]]
method = ["grow", "prune"]
compactness = [0.2, 0.3, 0.4, 0.5]
[[panel]]
title = "Accuracy"
x = "compactness"
y = "accuracy"
[[panel]]
title = "Newborns"
where = { method = "grow" }
x = "epoch"
y = ["activation_ratio", "gradient_ratio"]
panels = "compactness"
)";

class ReportCommand : public testing::Test {
 protected:
  std::filesystem::path at(const std::string& name) const { return folder_.path() / name; }
  void make(const std::string& text = grid) const {
    std::ofstream(at("small.toml")) << text;
    const auto made = run_program(MAKE_SWEEP_PROGRAM " " + at("small.toml").string() + " full " + at("sweep").string());
    ASSERT_EQ(made.code, 0) << made.errors;
  }
  Ended report(const std::string& arguments, const std::string& environment = "") const {
    return run_program(environment + " " CAMBIUM_PROGRAM " report " + arguments);
  }

  TemporaryFolder folder_;
};

}  // namespace

TEST_F(ReportCommand, WritesAPageAndPrintsItsPath) {
  make();
  const auto ended = report(at("sweep").string());
  ASSERT_EQ(ended.code, 0) << ended.errors;
  EXPECT_EQ(ended.output, (at("sweep") / "report" / "index.html").string() + "\n");
  EXPECT_THAT(text_of(at("sweep") / "report" / "index.html"), HasSubstr("<svg"));
}

TEST_F(ReportCommand, WritesTheSamePageAgain) {
  make();
  ASSERT_EQ(report(at("sweep").string() + " --out " + at("first.html").string()).code, 0);
  ASSERT_EQ(report(at("sweep").string() + " --out " + at("second.html").string()).code, 0);
  EXPECT_EQ(text_of(at("first.html")), text_of(at("second.html")));
}

TEST_F(ReportCommand, WritesScriptsThatDrawTheFiguresAgain) {
  make();
  ASSERT_EQ(report(at("sweep").string()).code, 0);
  const auto figures = at("sweep") / "report" / "figures";
  std::filesystem::remove(figures / "small.svg");
  const auto drawn = run_program("cd " + figures.string() + " && gnuplot small.gp");
  EXPECT_EQ(drawn.code, 0) << drawn.errors;
  EXPECT_THAT(text_of(figures / "small.svg"), HasSubstr("compactness 50 %"));
}

TEST_F(ReportCommand, RefusesAFolderThatDoesNotExist) {
  const auto ended = report(at("nowhere").string());
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("there is no such folder"));
}

TEST_F(ReportCommand, ReportsThatGnuplotIsMissing) {
  make();
  std::filesystem::create_directories(at("empty"));
  const auto ended = report(at("sweep").string(), "PATH=" + at("empty").string());
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.errors, HasSubstr("gnuplot: there is no such program on the PATH"));
}

TEST_F(ReportCommand, PlanAndSweepRefuseAWrongPanel) {
  std::ofstream(at("wrong.toml")) << std::string(grid) + "[[panel]]\nx = 'compactness'\ny = 'acuracy'\n";
  for (const auto& command : {std::string("plan --no-timing "), "sweep --out " + at("sweep").string() + " "}) {
    const auto ended = cambium_program(command + at("wrong.toml").string());
    EXPECT_EQ(ended.code, 2) << command;
    EXPECT_THAT(ended.errors, HasSubstr("Did you mean accuracy?"));
  }
  EXPECT_FALSE(std::filesystem::exists(at("sweep")));
}

// A script in the page reports the width of its frame, the overflow in pixels and the number of figures.
TEST_F(ReportCommand, PageFitsScreensOfAllWidthsWithoutErrors) {
  if (run_program("command -v chromium").code != 0)
    GTEST_SKIP() << "chromium is not installed; Debian's package is chromium";
  make();
  ASSERT_EQ(report(at("sweep").string()).code, 0);
  auto page = text_of(at("sweep") / "report" / "index.html");
  for (auto found = page.find("<details>"); found != std::string::npos; found = page.find("<details>", found))
    page.replace(found, 9, "<details open>");
  page.insert(page.rfind("</body>"),
              "<script>addEventListener('load', () => { const root = document.documentElement; parent.postMessage("
              "[innerWidth, root.scrollWidth - root.clientWidth, document.querySelectorAll('svg').length], '*') "
              "})</script>");
  std::ofstream(at("page.html")) << page;
  std::ofstream(at("frames.html")) << "<!DOCTYPE html><pre id=log></pre><script>addEventListener('message', event => "
                                      "log.textContent += 'frame ' + event.data.join(' ') + ';')</script>"
                                      "<iframe width=360 height=800 style='border:0' src=page.html></iframe>"
                                      "<iframe width=768 height=800 style='border:0' src=page.html></iframe>"
                                      "<iframe width=1440 height=800 style='border:0' src=page.html></iframe>";
  const auto ended = run_program(
      "timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr "
      "--user-data-dir=" +
      at("profile").string() + " --virtual-time-budget=20000 --dump-dom file://" + at("frames.html").string());
  ASSERT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.errors, Not(HasSubstr("CONSOLE")));
  for (const std::string width : {"360", "768", "1440"})
    EXPECT_THAT(ended.output, HasSubstr("frame " + width + " 0 2;")) << "the second number is the overflow in pixels";
}
