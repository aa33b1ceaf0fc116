// Round numbers for axes.

/// The next of 1, 2, 5, 10, ... times a power of ten from `size` up; > 0.
export function roundStep(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size));
  return power * ([1, 2, 5].find((factor) => factor * power >= size * (1 - 1e-9)) ?? 10);
}

/// The least span of about `parts` round steps that holds both.
export function roundSpan(low: number, high: number, parts = 8): { low: number; high: number } {
  if (!(high > low)) return { low: low - 1, high: high + 1 };
  const step = roundStep((high - low) / parts);
  return { low: Math.floor(low / step) * step, high: Math.ceil(high / step) * step };
}

/// At most about `most` whole numbers from `min` to `max`.
export function wholeTicks(min: number, max: number, most: number): number[] {
  const step = Math.max(1, roundStep((max - min) / most || 1));
  const ticks = [];
  for (let tick = Math.ceil(min / step) * step; tick <= max; tick += step) ticks.push(tick);
  return ticks;
}
