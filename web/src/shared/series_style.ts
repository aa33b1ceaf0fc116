// The style of a series by its place in the palette: eight colours, each with its own marker, so that colour is
// never the only difference; dashes for the places beyond eight.

import { svgElement } from "./dom";
import { kPaletteSize } from "./theme";

export interface SeriesStyle {
  colour: number;       // place in Theme.series
  dash: number[];
  marker: string;       // a point style of Chart.js
  hollow: boolean;
}

const kMarkers = ["circle", "rect", "triangle", "rectRot"];
const kDashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

export function seriesStyle(place: number): SeriesStyle {
  const colour = place % kPaletteSize;
  return {
    colour,
    dash: kDashes[Math.floor(place / kPaletteSize) % kDashes.length],
    marker: kMarkers[colour % kMarkers.length],
    hollow: colour >= kMarkers.length,
  };
}

function markerShape(style: SeriesStyle): SVGElement {
  const attributes = { class: style.hollow ? "marker hollow" : "marker" };
  switch (style.marker) {
    case "rect": return svgElement("rect", { ...attributes, x: 9, y: 3, width: 6, height: 6 });
    case "triangle": return svgElement("path", { ...attributes, d: "M12 2 L16 9.5 L8 9.5 Z" });
    case "rectRot": return svgElement("path", { ...attributes, d: "M12 1.5 L16.5 6 L12 10.5 L7.5 6 Z" });
    default: return svgElement("circle", { ...attributes, cx: 12, cy: 6, r: 3.5 });
  }
}

/// A short piece of the line with its marker, for legends and tables. It follows the theme by itself.
export function swatch(place: number): SVGElement {
  const style = seriesStyle(place);
  return svgElement("svg",
    { class: `swatch series-${style.colour}`, viewBox: "0 0 24 12", width: 24, height: 12, "aria-hidden": "true" },
    svgElement("line", { x1: 0, y1: 6, x2: 24, y2: 6, "stroke-dasharray": style.dash.join(" ") || null }),
    markerShape(style));
}
