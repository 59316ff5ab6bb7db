import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '@paymount/core/kernel';
import { type ApiClient, apiClient } from '../api-client.ts';
import type { SeededRandom } from './seeded-random.ts';

/** A notice as the bank writes it. */
export type BankNotice = Readonly<Record<string, unknown>> & { readonly noticeId: string };

interface Letter {
  readonly environment: Environment;
  readonly notice: BankNotice;
  readonly delivered: () => void;
  dueMs: number;
}

const LOOK_EVERY_MS = 30;
const RETRY_MS = [150, 600] as const;
const REQUESTS_AT_ONCE = 4;
const MOST_IN_REQUEST = 4;
const LIMIT_MS = 5_000;
/** Notices that are sent again as they are, and under another id. */
const SHARE_REPEATED = 0.2;
const SHARE_RENAMED = 0.1;
const REPEATED_AFTER_MS = 1_200;

/** Sends the bank's notices, some of them twice and all in any order, until each is answered 200. */
export class Postman {
  readonly #random: SeededRandom;
  readonly #client: ApiClient = apiClient('', { limitMs: LIMIT_MS, maxRetries: 0 });
  readonly #letters: Letter[] = [];
  #apis: () => readonly string[] = () => [];
  #underWay = 0;
  #isHurried = false;
  #isClosed = false;
  #running: Promise<void> = Promise.resolve();
  /** How many notices were delivered, repeated ones too. */
  delivered = 0;
  /** Requests that were refused. */
  readonly violations: string[] = [];

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Begins to deliver. @param apis where, at the time */
  open(apis: () => readonly string[]): void {
    this.#apis = apis;
    this.#running = this.#run();
  }

  /** How many notices are not delivered yet. */
  get waiting(): number {
    return this.#letters.length + this.#underWay;
  }

  /** From now on nothing waits, but for a process that takes it. */
  hurry(): void {
    this.#isHurried = true;
    for (const letter of this.#letters) letter.dueMs = 0;
  }

  /** Sends a notice after some time. @returns once it was answered 200 */
  send(environment: Environment, notice: BankNotice, afterMs: number): Promise<void> {
    if (this.#random.chance(SHARE_REPEATED)) this.#repeat(environment, notice, afterMs);
    if (this.#random.chance(SHARE_RENAMED)) {
      this.#repeat(environment, { ...notice, noticeId: `${notice.noticeId} again` }, afterMs);
    }
    return this.#post(environment, notice, afterMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    await this.#client.close();
  }

  #repeat(environment: Environment, notice: BankNotice, afterMs: number): void {
    const laterMs = this.#random.between(0, REPEATED_AFTER_MS);
    void this.#post(environment, notice, afterMs + laterMs);
  }

  #post(environment: Environment, notice: BankNotice, afterMs: number): Promise<void> {
    const dueMs = this.#isHurried ? 0 : performance.now() + afterMs;
    return new Promise((delivered) => {
      this.#letters.push({ environment, notice, dueMs, delivered });
    });
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      await Promise.all(this.#takeDue().map((letters) => this.#deliver(letters)));
      await wait(LOOK_EVERY_MS);
    }
  }

  /** @returns some of what is due, as it goes into requests */
  #takeDue(): readonly (readonly Letter[])[] {
    const nowMs = performance.now();
    const due = this.#random.shuffle(this.#letters.filter(({ dueMs }) => dueMs <= nowMs));
    const requests: Letter[][] = [];
    for (const environment of ['test', 'live'] as const) {
      const own = due.filter((letter) => letter.environment === environment);
      while (own.length > 0 && requests.length < REQUESTS_AT_ONCE) {
        requests.push(own.splice(0, this.#random.between(1, MOST_IN_REQUEST)));
      }
    }
    for (const letter of requests.flat()) this.#letters.splice(this.#letters.indexOf(letter), 1);
    return requests;
  }

  async #deliver(letters: readonly Letter[]): Promise<void> {
    this.#underWay += letters.length;
    const isTaken = await this.#isTaken(letters).catch(() => false);
    this.#underWay -= letters.length;
    if (isTaken) {
      this.delivered += letters.length;
      for (const { delivered } of letters) delivered();
      return;
    }
    for (const letter of letters) {
      letter.dueMs = performance.now() + this.#random.between(...RETRY_MS);
      this.#letters.push(letter);
    }
  }

  async #isTaken(letters: readonly Letter[]): Promise<boolean> {
    const [first] = letters;
    const apis = this.#apis();
    if (first === undefined || apis.length === 0) return false;
    const url = `${this.#random.pick(apis)}/notices/${first.environment}`;
    const answer = await this.#client.post(
      url,
      letters.map(({ notice }) => notice),
    );
    if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
      this.violations.push(`The bank's notices were answered ${answer.status} ${answer.text}`);
    }
    return answer.status === 200;
  }
}
