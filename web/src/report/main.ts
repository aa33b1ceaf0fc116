// The page of an experiment's results, or of a suite's: one part for each experiment.

import { element, freshId, scrollContainer } from "../shared/dom";
import { curvesSection } from "./curves";
import { Experiment, paletteOf, readResults, Results } from "./data";
import { gridSection } from "./grid";
import { manifestSection } from "./manifest";
import { targetingTable, chosenTable, hindsightTable } from "./tables";
import { numberOf, outcome, verdictList } from "./verdicts";

type Heading = "h2" | "h3";

function command(text: string): HTMLElement {
  const id = freshId("command");
  return scrollContainer(id, element("pre", { id, class: "command" }, element("code", {}, text.trimEnd())));
}

function section(level: Heading, title: string, note: string, ...content: HTMLElement[]): HTMLElement {
  return element("section", { class: "card" }, element(level, {}, title), note ? element("p", { class: "section-note" }, note) : null, ...content);
}

/// A part that `fill` puts a table into.
function filled(fill: (parent: HTMLElement) => void): HTMLElement {
  const parent = element("div");
  fill(parent);
  return parent;
}

const kRankingNote = "Regret of payoffs: how much more the best choice of individuals would have paid with the same random numbers. Slope: that of " +
  "log regret against log rounds over the second half; linear regret has slope 1. Qini and AUUC judge how a policy ranks the held-out " +
  "individuals after the last round; a random ranking has a Qini of 0.";

const kHindsightNote = "Policies with nothing to tune, compared with tuned policies that have the same knowledge, at the values of the grid that turned " +
  "out best and worst. The least of many means is somewhat lower than the mean that its value would have in new runs.";

/// Puts the parts on the page before it draws the charts, which need their width.
function experimentParts(parent: HTMLElement, experiment: Experiment, palette: Map<string, number>, level: Heading): void {
  parent.append(element("p", { class: "setting" }, experiment.setting));
  parent.append(section(level, "Regret", "", curvesSection(experiment, palette), gridSection(experiment, palette)));
  parent.append(section(level, "Chosen parameters and regret", "Regrets are those after the last round.", filled((to) => chosenTable(to, experiment, palette))));
  if (experiment.policies.some((policy) => policy.uplift)) {
    parent.append(section(level, "Treated individuals and ranking", kRankingNote, filled((to) => targetingTable(to, experiment, palette))));
  }
  if (experiment.hindsight.length > 0) {
    parent.append(section(level, "Hindsight", kHindsightNote, filled((to) => hindsightTable(to, experiment))));
  }
  const own = experiment.verdicts.some((verdict) => verdict.claim === null);
  parent.append(section(level, own ? "Verdicts" : "Verdicts on the paper’s claims",
    experiment.verdicts.length > 0 ? "Errors are standard errors over the runs." : "", verdictList(experiment.verdicts)));
  parent.append(section(level, "Repeat it", "", command(experiment.repeat)));
  parent.append(section(level, "Manifest", "", manifestSection(experiment.manifest)));
}

function contents(results: Results): HTMLElement {
  const links = results.experiments.map((experiment) => element("li", {},
    element("a", { href: `#experiment-${experiment.name}` }, experiment.title),
    ...experiment.verdicts.map((verdict) => element("span", { class: "claim-of-contents" }, numberOf(verdict), outcome(verdict)))));
  return element("nav", { class: "card contents", "aria-label": "Contents" }, element("h2", {}, "Contents"), element("ol", {}, ...links));
}

function draw(results: Results): void {
  const main = document.getElementById("report")!;
  const palette = paletteOf(results);
  main.replaceChildren(element("h1", {}, results.title));
  if (!results.suite) {
    experimentParts(main, results.experiments[0], palette, "h2");
  } else {
    main.append(contents(results));
    for (const experiment of results.experiments) {
      const part = element("section", { id: `experiment-${experiment.name}`, class: "part" }, element("h2", {}, experiment.title));
      main.append(part);
      experimentParts(part, experiment, palette, "h3");
    }
    main.append(section("h2", "Repeat the whole suite", "", command(results.suite.repeat)));
  }
  main.append(element("footer", {}, `Made by updraft ${results.version}. This file contains everything that it shows and needs no network.`));
}

draw(readResults());
