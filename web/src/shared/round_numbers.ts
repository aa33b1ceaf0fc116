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

/// At most about `most` round numbers from `min` to `max`, `least` apart or more.
export function roundTicks(min: number, max: number, most: number, least = 0): number[] {
  if (!(max > min)) return [min];
  const step = Math.max(least, roundStep((max - min) / most));
  const ticks = [];
  for (let n = Math.ceil(min / step - 1e-9); n * step <= max + 1e-9 * step; ++n) ticks.push(+(n * step).toPrecision(12));
  return ticks;
}

/// The same of whole numbers.
export function wholeTicks(min: number, max: number, most: number): number[] {
  return roundTicks(min, max, most, 1);
}
