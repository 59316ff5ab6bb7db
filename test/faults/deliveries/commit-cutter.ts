import { eventually } from '../../support/eventually.ts';
import type { TcpProxy } from '../../support/tcp-proxy.ts';
import type { SeededRandom } from '../money/seeded-random.ts';

/** What commits: a COMMIT, or one of the statements that are transactions of their own. */
const COMMITTING = /COMMIT|pm_changes_apply|pm_deliveries_(?:close|claim)/;
/** Not always the first that comes by, which would always be of the same kind. */
const SHARE = 0.3;
const LIMIT_MS = 3_000;

/**
 * Cuts connections to the database just after the COMMIT went out, so that the server commits, and
 * the client never learns of it.
 */
export class CommitCutter {
  readonly #proxy: TcpProxy;
  readonly #random: SeededRandom;

  /** @param proxy between Paymount and the database */
  constructor(proxy: TcpProxy, random: SeededRandom) {
    this.#proxy = proxy;
    this.#random = random;
  }

  /**
   * Cuts the next connections that commit.
   * @param count how many, unless nobody commits for 3 s
   * @returns how many were cut
   */
  async cut(count: number): Promise<number> {
    let cuts = 0;
    this.#proxy.onUpstream = (bytes, reset) => {
      if (cuts === count || !COMMITTING.test(bytes.toString('latin1'))) return;
      if (!this.#random.chance(SHARE)) return;
      cuts += 1;
      reset();
    };
    try {
      await eventually(
        () => cuts,
        (made) => made === count,
        LIMIT_MS,
      ).catch(() => undefined);
    } finally {
      this.#proxy.onUpstream = () => undefined;
    }
    return cuts;
  }
}
