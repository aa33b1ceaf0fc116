// Asks repeatedly: at a fixed pace while requests succeed and the page is visible, and more and more slowly while
// they fail.

export type Outcome = "well" | "failed" | "ended";

export interface Asked {
  ask(): Promise<Outcome>;    // after "ended", only now() asks again
  broke(): void;              // ask() threw: a fault of the page itself, which counts as a failure
  rests(ms: number): void;    // the pause after a failure
}

const kLongestRestMs = 30000;

/// 2, 4, ... 30 s.
export function restAfter(failures: number): number {
  return Math.min(kLongestRestMs, 1000 * 2 ** Math.min(failures, 10));
}

export class Poll {
  private timer_: ReturnType<typeof setTimeout> | undefined;
  private failures_ = 0;
  private running_ = false;
  private busy_ = false;
  private again_ = false;
  private readonly seen_ = () => { if (!document.hidden) this.now(); };

  constructor(private readonly everyMs_: number, private readonly asked_: Asked) {}

  start(): void {
    this.running_ = true;
    document.addEventListener("visibilitychange", this.seen_);
    this.now();
  }

  stop(): void {
    this.running_ = false;
    document.removeEventListener("visibilitychange", this.seen_);
    clearTimeout(this.timer_);
  }

  /// Asks at once, or as soon as the present request has returned.
  now(): void {
    clearTimeout(this.timer_);
    if (this.busy_) this.again_ = true;
    else if (this.running_) void this.step();
  }

  private async step(): Promise<void> {
    this.busy_ = true;
    const began = performance.now();
    const outcome = await this.attempt();
    this.busy_ = false;
    if (!this.running_) return;
    this.failures_ = outcome === "failed" ? this.failures_ + 1 : 0;
    if (this.again_) {
      this.again_ = false;
      this.now();
      return;
    }
    if (outcome === "ended") return;
    const rest = outcome === "failed" ? restAfter(this.failures_) : this.pace(performance.now() - began);
    if (outcome === "failed") this.asked_.rests(rest);
    this.timer_ = setTimeout(() => { if (!document.hidden) void this.step(); }, rest);
  }

  /// A fault of the page itself must not end the polling either.
  private async attempt(): Promise<Outcome> {
    try {
      return await this.asked_.ask();
    } catch (fault) {
      console.error(fault);
      if (this.running_) this.asked_.broke();
      return "failed";
    }
  }

  /// Slow answers are asked for less often, so that they take at most a third of the time.
  private pace(tookMs: number): number {
    return Math.max(this.everyMs_ - tookMs, 2 * tookMs);
  }
}
