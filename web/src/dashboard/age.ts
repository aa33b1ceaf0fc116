// Ages by the service's clock, which may differ from this computer's.

import { duration, Maybe } from "../shared/numbers";

export class ServiceClock {
  private offset_ = 0;

  /// Sets the time of the service's clock when its answer arrives.
  set(nowMs: number): void {
    this.offset_ = nowMs - Date.now();
  }

  /// "3 min"; null if there is no time.
  age(timeMs: Maybe): string | null {
    if (timeMs == null) return null;
    return duration(Math.max(0, Date.now() + this.offset_ - timeMs));
  }
}
