// What charts are painted with: the custom properties of the style sheet, which differ by the system's
// theme. A canvas does not follow them by itself.

export interface Theme {
  ink: string;
  muted: string;
  grid: string;
  surface: string;
  font: string;
  series: string[];  // the palette, as #rrggbb
}

export const kPaletteSize = 8;

export function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(name).trim();
  const series = [];
  for (let place = 0; place < kPaletteSize; ++place) series.push(value(`--series-${place}`));
  return {
    ink: value("--ink"), muted: value("--muted"), grid: value("--line"), surface: value("--surface"),
    font: style.fontFamily, series,
  };
}

/// Calls `changed` whenever the system turns dark or light; the answer ends that.
export function onThemeChange(changed: () => void): () => void {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", changed);
  return () => dark.removeEventListener("change", changed);
}

/// A colour of the palette, let through: `opacity` from 0 to 1.
export function translucent(colour: string, opacity: number): string {
  const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return `rgba(${parts.join(", ")}, ${opacity})`;
}
