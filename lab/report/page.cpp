#include "lab/report/page.hpp"

#include <fmt/format.h>

#include "base/html.hpp"

namespace cambium {
namespace {

constexpr auto style = R"css(
:root { color-scheme: light dark; --ground: #ffffff; --text: #24292f; --quiet: #59636e; --line: #d8dee4;
  --shade: #f4f6f8; --link: #0b62c4; --wrong: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14171b; --text: #d6dae0; --quiet: #98a1ab; --line: #333a42; --shade: #1c2127; --link: #6cb0ff;
    --wrong: #ff8a80; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 24px 20px 64px; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 8px; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 0 0 4px; }
h3 { font-size: 1rem; margin: 20px 0 4px; }
p { margin: 6px 0; }
a { color: var(--link); text-underline-offset: 2px; }
section { margin-top: 36px; padding-top: 20px; border-top: 1px solid var(--line); }
nav ul { columns: 2 320px; list-style: none; padding: 0; margin: 12px 0; }
nav li { break-inside: avoid; }
.note, figcaption, .lead { color: var(--quiet); font-size: 0.92rem; }
.wrong { color: var(--wrong); font-weight: 600; }
.wide { overflow-x: auto; max-width: 100%; }
figure { margin: 14px 0; break-inside: avoid; }
svg.figure { display: block; width: 100%; height: auto; color: var(--text); }
table { border-collapse: collapse; font-size: 0.88rem; margin: 8px 0; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); white-space: nowrap;
  vertical-align: top; }
thead th { white-space: normal; vertical-align: bottom; color: var(--quiet); font-weight: 600; min-width: 4.5em; }
tbody th { font-weight: 500; }
th.number, td.number { text-align: right; padding: 4px 0 4px 16px; }
td.prose { white-space: normal; min-width: 16em; }
th.number + th:not(.number), td.number + td:not(.number) { padding-left: 20px; }
.pm { color: var(--quiet); }
details { margin: 8px 0; }
summary { cursor: pointer; color: var(--quiet); font-size: 0.92rem; }
pre { background: var(--shade); border: 1px solid var(--line); border-radius: 6px; padding: 10px 12px; overflow-x: auto;
  font-size: 0.84rem; line-height: 1.45; margin: 8px 0; }
code { font-family: ui-monospace, monospace; font-size: 0.92em; }
@media print {
  :root { --ground: #ffffff; --text: #000000; --quiet: #444444; --line: #cccccc; --link: #000000; }
  body { font-size: 11pt; } main { max-width: none; padding: 0; } nav { display: none; }
  .wide { overflow: visible; } svg.figure { min-width: 0 !important; } section { break-inside: auto; }
  h2, h3 { break-after: avoid; } tr { break-inside: avoid; }
}
)css";

}  // namespace

std::string page(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
      escaped(title), style, body);
}

}  // namespace cambium
