// The token that the service requires. It is kept for this tab only, and never put into an address.

const kKey = "updraft-token";

/// Storage may be forbidden; then a reload asks again.
function stored(): Storage | null {
  try {
    return window.sessionStorage;
  } catch {
    return null;
  }
}

export class Token {
  private value_: string | null = stored()?.getItem(kKey) ?? null;

  /// `changed` is called when the token is set and when it is forgotten.
  constructor(private readonly changed_: () => void) {}

  get value(): string | null {
    return this.value_;
  }

  set(value: string): void {
    this.value_ = value;
    stored()?.setItem(kKey, value);
    this.changed_();
  }

  forget(): void {
    this.value_ = null;
    stored()?.removeItem(kKey);
    this.changed_();
  }
}
