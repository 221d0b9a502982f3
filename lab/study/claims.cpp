#include "lab/study/claims.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace cambium {
namespace {

std::vector<StudyClaim> all_claims() {
  std::vector<StudyClaim> all;
  for (const auto& section : {mlp_claims(), cifar_claims(), mechanism_claims(), intervention_claims(), stream_claims()})
    all.insert(all.end(), section.begin(), section.end());
  std::sort(all.begin(), all.end(), [](const StudyClaim& a, const StudyClaim& b) { return a.number < b.number; });
  return all;
}

// A quoted CSV field; quotes in it are doubled.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char each : text) result.append(each == '"' ? 2 : 1, each);
  result.push_back('"');
  return result;
}

}  // namespace

const char* name_of(Ruling::Verdict verdict) {
  return verdict == Ruling::Verdict::holds   ? "holds"
         : verdict == Ruling::Verdict::fails ? "does not hold"
                                             : "not enough runs";
}

std::span<const StudyClaim> claims() {
  static const auto all = all_claims();
  return all;
}

std::vector<const StudyClaim*> claims_of(const std::string& name) {
  std::vector<const StudyClaim*> found;
  for (const auto& claim : claims())
    if (std::find(claim.shown_with.begin(), claim.shown_with.end(), name) != claim.shown_with.end())
      found.push_back(&claim);
  return found;
}

Ruling check(const StudyClaim& claim, const Study& study) {
  try {
    return claim.check(study);
  } catch (const MissingRuns& missing) {
    return {Ruling::Verdict::not_enough, missing.what()};
  }
}

std::vector<CheckedClaim> check(const std::vector<const StudyClaim*>& claims, const Study& study) {
  std::vector<CheckedClaim> checked;
  for (const auto* claim : claims) checked.push_back({claim, check(*claim, study)});
  return checked;
}

std::string to_text(const std::vector<CheckedClaim>& claims) {
  std::string text;
  for (const auto& [claim, ruling] : claims) {
    text += fmt::format("{:>3}. {}\n     {}: {}\n", claim->number, claim->statement, name_of(ruling.verdict),
                        ruling.evidence);
    if (!claim->remark.empty()) text += fmt::format("     ({})\n", claim->remark);
  }
  return text;
}

std::string to_csv(const std::vector<CheckedClaim>& claims) {
  std::string text = "claim,verdict,statement,evidence\n";
  for (const auto& [claim, ruling] : claims)
    text += fmt::format("{},{},{},{}\n", claim->number, name_of(ruling.verdict), quoted(claim->statement),
                        quoted(ruling.evidence));
  return text;
}

std::string summary(const std::vector<CheckedClaim>& claims) {
  const auto count = [&](Ruling::Verdict verdict) {
    return std::count_if(claims.begin(), claims.end(),
                         [&](const CheckedClaim& each) { return each.ruling.verdict == verdict; });
  };
  const auto missing = count(Ruling::Verdict::not_enough);
  return fmt::format("{} of {} claims hold, {} do not{}", count(Ruling::Verdict::holds), claims.size(),
                     count(Ruling::Verdict::fails),
                     missing == 0 ? "" : fmt::format("; not enough runs for {}", missing));
}

}  // namespace cambium
