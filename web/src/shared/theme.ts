// The colours of charts: the custom properties of the style sheet, which depend on the system's theme. A canvas
// does not follow them by itself.

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

/// Calls `changed` whenever the system turns dark or light. Returns a function that ends this.
export function onThemeChange(changed: () => void): () => void {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", changed);
  return () => dark.removeEventListener("change", changed);
}

/// A colour of the palette with this `opacity`, from 0 to 1.
export function translucent(colour: string, opacity: number): string {
  const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return `rgba(${parts.join(", ")}, ${opacity})`;
}
