// Ticks of a time axis, at round times of the reader's own clock.

import { clock, time } from "../shared/numbers";

const kSecond = 1000;
const kMinute = 60 * kSecond;
const kHour = 60 * kMinute;
const kDay = 24 * kHour;
const kSteps = [1, 2, 5, 10, 15, 30].map((n) => n * kSecond)
  .concat([1, 2, 5, 10, 15, 30].map((n) => n * kMinute), [1, 2, 3, 6, 12].map((n) => n * kHour), [1, 2, 7, 14, 30, 90, 365].map((n) => n * kDay));

export function timeTicks(min: number, max: number, most: number): number[] {
  const step = kSteps.find((one) => (max - min) / one <= most) ?? Math.ceil((max - min) / most / kDay) * kDay;
  const zone = new Date(min).getTimezoneOffset() * kMinute;
  const ticks = [];
  for (let tick = Math.ceil((min - zone) / step) * step + zone; tick <= max; tick += step) ticks.push(tick);
  return ticks;
}

/// For times at most this far apart: the time of day alone within a day, otherwise with the date.
export function timeText(spanMs: number): (ms: number) => string {
  if (spanMs < kDay) return clock;
  return (ms) => time(ms).slice(5, 16);
}

export function timeName(spanMs: number): string {
  return spanMs < kDay ? "time of day" : "date and time";
}
