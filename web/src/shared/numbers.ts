// Numbers as text: thousands with commas, a dash if there is no number.

export type Maybe = number | null | undefined;

export const kNone = "–";

function isNumber(x: Maybe): x is number {
  return typeof x === "number" && Number.isFinite(x);
}

const formats = new Map<number, Intl.NumberFormat>();

/// With this many decimals, 0 to 20.
export function fixedText(x: Maybe, decimals: number): string {
  if (!isNumber(x)) return kNone;
  const places = Math.min(20, Math.max(0, decimals));
  let format = formats.get(places);
  if (!format) {
    format = new Intl.NumberFormat("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });
    formats.set(places, format);
  }
  return format.format(x).replace(/^-(?=[0.,]*$)/, "").replace("-", "−");
}

/// The power of ten of the leading digit.
function magnitude(x: number): number {
  return Math.floor(Math.log10(Math.abs(x)) + 1e-12);
}

function scientific(x: number, digits: number): string {
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
  return `${mantissa}e${exponent.replace("+", "")}`.replace(/-/g, "−");
}

/// With this many significant digits, but never less than whole numbers; 0.00001234 and 1.2e15 as powers of ten.
export function numberText(x: Maybe, digits = 3): string {
  if (!isNumber(x)) return kNone;
  if (x === 0) return "0";
  const power = magnitude(x);
  if (power < -4 || power >= 15) return scientific(x, digits);
  if (Number.isInteger(x)) return fixedText(x, 0);
  return fixedText(x, Math.max(0, digits - 1 - power));
}

/// A whole number.
export function countText(n: Maybe): string {
  return fixedText(n, 0);
}

/// "1 decision", "2 decisions".
export function countOf(n: Maybe, one: string, many = `${one}s`): string {
  return `${countText(n)} ${n === 1 ? one : many}`;
}

/// For axes: no more digits than the number has.
export function tickText(x: number): string {
  if (x === 0) return "0";
  const power = magnitude(x);
  if (power < -4 || power >= 9) return `${+(x / 10 ** power).toPrecision(6)}e${power}`.replace(/-/g, "−");
  return new Intl.NumberFormat("en-US", { maximumSignificantDigits: 10 }).format(x).replace("-", "−");
}

/// The decimals at which a number of this size has one digit, or two if the first is 1.
function errorDecimals(error: number): number {
  const power = magnitude(error);
  const leading = Math.floor(Math.abs(error) / 10 ** power + 1e-9);
  return Math.max(0, -power + (leading === 1 ? 1 : 0));
}

/// "2.31 ± 0.04": as many decimals as make sense for the error.
export function withError(x: Maybe, error: Maybe): string {
  if (!isNumber(x)) return kNone;
  if (!isNumber(error)) return numberText(x);
  if (error === 0) return `${numberText(x)} ± 0`;
  if (magnitude(error) < -9 || magnitude(x) >= 15) return `${scientific(x, 4)} ± ${scientific(error, 2)}`;
  const decimals = errorDecimals(error);
  return `${fixedText(x, decimals)} ± ${fixedText(error, decimals)}`;
}

/// "0.31 (0.12 to 0.50)": as many decimals as make sense for the width of the interval.
export function intervalText(x: Maybe, low: Maybe, high: Maybe): string {
  if (!isNumber(x)) return kNone;
  if (!isNumber(low) && !isNumber(high)) return numberText(x);
  const width = isNumber(low) && isNumber(high) ? high - low : 0;
  const size = Math.max(Math.abs(x), Math.abs(low ?? 0), Math.abs(high ?? 0));
  const text = size > 0 && (magnitude(size) >= 15 || magnitude(size) < -6) ? (y: Maybe) => numberText(y)
    : width > 0 && magnitude(width) > magnitude(size) - 8 ? (y: Maybe) => fixedText(y, Math.max(0, 1 - magnitude(width)))
    : (y: Maybe) => numberText(y);
  if (!isNumber(low)) return `${text(x)} (up to ${text(high)})`;
  if (!isNumber(high)) return `${text(x)} (at least ${text(low)})`;
  return `${text(x)} (${text(low)} to ${text(high)})`;
}

/// "20 %"; one decimal below 10 %.
export function percent(share: Maybe): string {
  if (!isNumber(share)) return kNone;
  const value = 100 * share;
  if (value > 0 && value < 0.05) return "< 0.1 %";
  return `${fixedText(value, value === 0 || value >= 9.95 ? 0 : 1)} %`;
}

/// Milliseconds as "3 min"; at most two units.
export function duration(ms: Maybe): string {
  if (!isNumber(ms)) return kNone;
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  const days = Math.floor(hours / 24);
  const text = days === 1 ? "1 day" : `${countText(days)} days`;
  return hours % 24 && days < 10 ? `${text} ${hours % 24} h` : text;
}

function two(n: number): string {
  return String(n).padStart(2, "0");
}

/// Milliseconds since 1970 as "14:03:10", in the reader's time zone.
export function clock(ms: Maybe): string {
  if (!isNumber(ms)) return kNone;
  const date = new Date(ms);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/// "2026-03-01 14:03:10".
export function time(ms: Maybe): string {
  if (!isNumber(ms)) return kNone;
  const date = new Date(ms);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock(ms)}`;
}
