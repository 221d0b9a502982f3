// The study's numbered claims, each checked against the results: it holds, it does not hold, or runs are missing.
//
// The statement of a claim defines terms such as "clearly" or "about". "Significant" means Welch's p < 0.05.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/study/study.hpp"

namespace cambium {

struct Ruling {
  enum class Verdict { holds, fails, not_enough };

  Verdict verdict = Verdict::not_enough;
  std::string evidence;  // the values that decide, or the missing runs
};
const char* name_of(Ruling::Verdict verdict);

struct StudyClaim {
  int number = 0;
  std::string statement;
  std::vector<std::string> shown_with;  // tables and figures
  Ruling (*check)(const Study& study) = nullptr;
  std::string remark = {};  // if the study's own values do not support the claim
};

// All 51 claims, by number.
std::span<const StudyClaim> claims();
// The claims that are shown with a table or figure.
std::vector<const StudyClaim*> claims_of(const std::string& name);

Ruling check(const StudyClaim& claim, const Study& study);

struct CheckedClaim {
  const StudyClaim* claim = nullptr;
  Ruling ruling;
};
std::vector<CheckedClaim> check(const std::vector<const StudyClaim*>& claims, const Study& study);
std::string to_text(const std::vector<CheckedClaim>& claims);
std::string to_csv(const std::vector<CheckedClaim>& claims);
// "5 of 8 claims hold, 1 do not; not enough runs for 2".
std::string summary(const std::vector<CheckedClaim>& claims);

// The claims by sections of the study, for claims().
std::vector<StudyClaim> mlp_claims();
std::vector<StudyClaim> cifar_claims();
std::vector<StudyClaim> mechanism_claims();
std::vector<StudyClaim> intervention_claims();
std::vector<StudyClaim> stream_claims();

}  // namespace cambium
