// Asks again and again: at its own pace while all is well and the page is seen, ever more slowly while it
// is not well.

export type Outcome = "well" | "failed" | "ended";

export interface Asked {
  ask(): Promise<Outcome>;    // how it went; after "ended" it is asked again only by now()
  broke(): void;              // ask() threw, which counts as a failure: the page itself is at fault
  rests(ms: number): void;    // how long the rest after a failure is
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

  /// At once, or as soon as what is under way has come back.
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

  /// A fault of the page itself must not end it either.
  private async attempt(): Promise<Outcome> {
    try {
      return await this.asked_.ask();
    } catch (fault) {
      console.error(fault);
      if (this.running_) this.asked_.broke();
      return "failed";
    }
  }

  /// An answer that takes long is asked for less often, so that at most a third of the time goes into it.
  private pace(tookMs: number): number {
    return Math.max(this.everyMs_ - tookMs, 2 * tookMs);
  }
}
