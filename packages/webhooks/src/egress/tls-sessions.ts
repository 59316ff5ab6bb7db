/** When the certificate of a receiver was verified, and must be again; unix milliseconds. */
export interface Verification {
  readonly verifiedMs: number;
  readonly untilMs: number;
}

/** A session of a receiver whose certificate was verified. */
export interface TlsSession extends Verification {
  readonly ticket: Buffer;
}

const MAX_TARGETS = 1_000;
const MAX_AGE_MS = 600_000;

/**
 * The TLS sessions of receivers, so that connecting again costs neither side a signature. In a
 * resumed handshake the receiver does not send its certificate, and nothing of it is verified.
 * Therefore a session is used only for the host and port that were verified, and for 10 minutes
 * from that handshake, or until the certificate expires if that is earlier. A resumed connection
 * does not extend this.
 */
export class TlsSessions {
  readonly #nowMs: () => number;
  /** By host and port. */
  readonly #sessions = new Map<string, TlsSession>();
  /** Receivers that could not resume what they had offered, and since when. */
  readonly #avoided = new Map<string, number>();

  /** @param nowMs unix milliseconds */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  find(target: string): TlsSession | undefined {
    const session = this.#sessions.get(target);
    if (session === undefined) return undefined;
    const nowMs = this.#nowMs();
    // A clock that was set back does not make a session younger.
    if (session.verifiedMs <= nowMs && nowMs < session.untilMs) return session;
    this.#sessions.delete(target);
    return undefined;
  }

  /**
   * Says that a certificate was verified in full now.
   * @param validTo the end of its validity, in OpenSSL's form
   */
  verify(validTo: string): Verification {
    const verifiedMs = this.#nowMs();
    return { verifiedMs, untilMs: Math.min(verifiedMs + MAX_AGE_MS, Date.parse(validTo)) };
  }

  keep(target: string, session: TlsSession): void {
    const avoidedFromMs = this.#avoided.get(target);
    if (avoidedFromMs === undefined || this.#nowMs() - avoidedFromMs >= MAX_AGE_MS) {
      setNewest(this.#sessions, target, session);
    }
  }

  /** Keeps no session of this receiver for 10 minutes. */
  avoid(target: string): void {
    this.#sessions.delete(target);
    setNewest(this.#avoided, target, this.#nowMs());
  }
}

/** Sets the entry, and drops the one that was set first if there are too many. */
function setNewest<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_TARGETS && oldest !== undefined) map.delete(oldest);
}
