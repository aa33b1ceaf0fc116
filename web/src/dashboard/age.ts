// Ages by the service's clock, which may differ from this computer's.

import { duration, Maybe } from "../shared/numbers";

export class ServiceClock {
  private offset_ = 0;

  /// What the service's clock says as its answer arrives.
  set(nowMs: number): void {
    this.offset_ = nowMs - Date.now();
  }

  /// "3 min", or null of nothing.
  age(timeMs: Maybe): string | null {
    if (timeMs == null) return null;
    return duration(Math.max(0, Date.now() + this.offset_ - timeMs));
  }
}
