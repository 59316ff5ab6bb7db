import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import type { ApiAnswer, ApiClient } from '../api-client.ts';
import type { Fleet } from '../money/fleet.ts';

const PARALLEL = 8;
const PAUSE_MS = 10;
/** What a process may answer while it or its database is in trouble, or still works on it. */
const TRY_AGAIN = new Set([409, 500, 503]);
const LIMIT_MS = 30 * 60_000;

/** Merchants that charge, and ask again with the same key until they are answered. */
export class Buyers {
  /** Charges that were answered 200. */
  readonly acknowledged = new Set<string>();
  /** Answers that no caller should get. */
  readonly violations: string[] = [];
  readonly #fleet: Fleet;
  readonly #client: ApiClient;
  readonly #unanswered = new Set<string>();
  #allowed = 0;
  #begun = 0;
  #isClosed = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(fleet: Fleet, client: ApiClient) {
    this.#fleet = fleet;
    this.#client = client;
  }

  /** Starts to buy as much as is allowed. */
  start(): void {
    this.#running = Promise.all(Array.from({ length: PARALLEL }, () => this.#buy()));
  }

  /** How many charges may be asked for, in all. */
  allow(count: number): void {
    this.#allowed = count;
  }

  /** Waits until so many charges were begun. */
  async reached(count: number): Promise<void> {
    await eventually(
      () => this.#begun,
      (begun) => begun >= count,
      LIMIT_MS,
    );
  }

  /** How many that were begun have no answer yet. */
  get open(): number {
    return this.#unanswered.size;
  }

  /** Ends buying, also what is not answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #buy(): Promise<void> {
    while (!this.#isClosed) {
      if (this.#begun < this.#allowed) {
        this.#begun += 1;
        await this.#charge(randomUUID());
      }
      await wait(PAUSE_MS);
    }
  }

  /** Asks for the charges without an answer again, once each. */
  async askAgain(): Promise<void> {
    await Promise.all([...this.#unanswered].map((key) => this.#charge(key)));
  }

  /** What is not answered at once waits for `askAgain`: its first request may still be at work. */
  async #charge(key: string): Promise<void> {
    this.#unanswered.add(key);
    const [api] = this.#fleet.apis();
    const answer = api === undefined ? undefined : await this.#ask(api, key);
    if (answer?.status === 200) this.acknowledged.add(String(answer.json['id']));
    else if (answer === undefined || TRY_AGAIN.has(answer.status)) return;
    else this.violations.push(`A charge was answered ${answer.status}: ${answer.text}`);
    this.#unanswered.delete(key);
  }

  /** @returns undefined when no answer came: what became of the charge is unknown */
  async #ask(api: string, key: string): Promise<ApiAnswer | undefined> {
    const parameters = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };
    return this.#client.post(`${api}/v1/charges`, parameters, key).catch(() => undefined);
  }
}
