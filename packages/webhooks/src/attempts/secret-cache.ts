import { type ClaimedDelivery, secretContext } from '@paymount/core/events';
import { type Clock, ExpiringMap, type Sealer, Secret } from '@paymount/core/kernel';

const KEPT_MS = 60_000;
const MAX_KEPT = 10_000;

interface Opened {
  readonly version: number;
  readonly count: number;
  readonly secrets: Secret<readonly string[]>;
}

/**
 * Opens signing secrets, and caches them for at most 60 s. A rotation increments the version that
 * each claim brings, and an expired secret is missing from the claim: neither is used from the
 * cache.
 */
export class SecretCache {
  readonly #sealer: Sealer;
  readonly #clock: Clock;
  readonly #opened: ExpiringMap<string, Opened>;

  constructor({ sealer, clock }: { readonly sealer: Sealer; readonly clock: Clock }) {
    this.#sealer = sealer;
    this.#clock = clock;
    this.#opened = new ExpiringMap({ clock, lifeMs: KEPT_MS, max: MAX_KEPT });
  }

  /**
   * @returns the endpoint's unexpired secrets, newest first; at least one
   * @throws PaymountError `unavailable` when the sealing keys cannot be reached right now
   * @throws Error when one cannot be opened, or there is none
   */
  async open(delivery: ClaimedDelivery): Promise<readonly string[]> {
    const { endpointId, secretVersion: version } = delivery;
    const count = delivery.secrets.length;
    const kept = this.#opened.get(endpointId);
    if (kept?.version === version && kept.count === count) return kept.secrets.reveal();
    if (count === 0) throw new Error(`Endpoint ${endpointId} has no secret.`);
    const sinceMs = this.#clock.monotonicMs();
    const secrets = await Promise.all(
      delivery.secrets.map(({ id, sealed }) => this.#sealer.open(sealed, secretContext(id))),
    );
    this.#opened.set(endpointId, { version, count, secrets: new Secret(secrets) }, sinceMs);
    return secrets;
  }
}
