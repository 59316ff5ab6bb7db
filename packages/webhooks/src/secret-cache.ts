import { type ClaimedDelivery, type Clock, type Sealer, secretContext } from '@paymount/core';

const KEPT_MS = 60_000;
const MAX_KEPT = 10_000;

interface Opened {
  readonly version: number;
  readonly openedAtMs: number;
  readonly secrets: readonly string[];
}

/**
 * Opens signing secrets, and keeps them for at most 60 s: a rotation raises the version that each
 * claim brings, so a rotated secret is never used from here.
 */
export class SecretCache {
  readonly #sealer: Sealer;
  readonly #clock: Clock;
  readonly #opened = new Map<string, Opened>();

  constructor({ sealer, clock }: { readonly sealer: Sealer; readonly clock: Clock }) {
    this.#sealer = sealer;
    this.#clock = clock;
  }

  /**
   * @returns the endpoint's unexpired secrets, newest first; at least one
   * @throws when one cannot be opened, or there is none
   */
  async open(delivery: ClaimedDelivery): Promise<readonly string[]> {
    const { endpointId, secretVersion } = delivery;
    const nowMs = this.#clock.monotonicMs();
    const kept = this.#opened.get(endpointId);
    if (kept?.version === secretVersion && nowMs - kept.openedAtMs < KEPT_MS) return kept.secrets;
    if (delivery.secrets.length === 0) throw new Error(`Endpoint ${endpointId} has no secret.`);
    const secrets = await Promise.all(
      delivery.secrets.map(({ id, sealed }) => this.#sealer.open(sealed, secretContext(id))),
    );
    if (this.#opened.size >= MAX_KEPT) this.#opened.clear();
    this.#opened.set(endpointId, { version: secretVersion, openedAtMs: nowMs, secrets });
    return secrets;
  }
}
