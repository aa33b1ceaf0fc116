#pragma once

#include <string_view>

namespace updraft::fuzz {

// Each takes what a stranger may send and returns whether it was accepted. Refusals are
// InvalidInput with a field and a message of bounded length; anything else that comes out is a
// defect, which ends the program with a word on standard error.

/// A body of POST /v1/campaigns. What was accepted has a canonical form that is accepted too, and
/// has itself as its canonical form.
bool definition(std::string_view input);

/// The first byte chooses the campaign and the kind of request, the rest is the body: '0' a
/// decision and '1' payoffs of a campaign of actions, '2' and '3' of a targeted one; other bytes
/// count by their value modulo 4. What was accepted keeps its promises (requests.h).
bool request(std::string_view input);

/// A question for the variables of an action: a line with the action, then lines `key=value` of the
/// query. The page of what was accepted is no longer than asked for, and has what was searched.
bool question(std::string_view input);

/// A campaign log (docs/formats/campaign-log.md), into an empty store. What was refused left it
/// empty.
bool import(std::string_view input);

/// A decision log (docs/formats/decision-log.md), read twice, with absent payoffs as 0. What was
/// accepted keeps the promises of LogReader.
bool log(std::string_view input);

}  // namespace updraft::fuzz
