import { setTimeout as wait } from 'node:timers/promises';
import type { ApiAnswer } from '../api-client.ts';
import type { Tally } from '../scenario.ts';
import type { Asked, FinalAnswer } from './asked.ts';
import type { Fleet } from './fleet.ts';
import type { Party } from './parties.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { ShopAnswer, ShopRequest } from './shop-messages.ts';

/** A request as it is made, again and again, until an answer is final. */
interface Call {
  asked: Asked;
  /** Of an answer 200 to a request with a key: sent once more it must get the same bytes. */
  text?: string;
  /** @returns undefined when it must be asked again */
  readonly send: (api: string) => Promise<FinalAnswer | undefined>;
}

/** A dispute as a merchant lists it. */
interface OpenDispute {
  readonly id: string;
  readonly status: string;
}

/** While faults go on a caller gives up after so long; what it asked is asked again at the end. */
const PATIENCE_MS = 6_000;
const RETRY_MS = [50, 400] as const;

/** Whoever meets one of these asks again with the same key, as the SDKs do. */
const PASSING: ReadonlySet<string> = new Set([
  'idempotency_key_in_use',
  'lock_timeout',
  'unavailable',
  // The shop's hook is not ready at the first time.
  'hook_refused',
]);

/** What a request that came too late or asked for too much may be told. */
const REFUSALS: ReadonlySet<string> = new Set([
  'operation_in_progress',
  'refund_amount_exceeds_charge',
  'status_transition_invalid',
  'charge_already_captured',
  'charge_already_refunded',
  'charge_not_captured',
  'charge_not_refundable',
  'charge_not_capturable',
  'charge_pending',
  'balance_insufficient',
  'capture_amount_exceeds_charge',
  'charge_disputed',
  'dispute_already_closed',
  'dispute_not_contestable',
  // After a payout came back, until the merchant has another bank account.
  'payouts_not_allowed',
]);

/** Merchants' servers and the host's own code, which ask until they know. */
export class Callers {
  readonly #fleet: Fleet;
  readonly #random: SeededRandom;
  readonly #tally: Tally;
  readonly #calls: Call[] = [];
  /** Answers that nobody may get. */
  readonly violations: string[] = [];
  #isPatient = true;

  constructor(fleet: Fleet, random: SeededRandom, tally: Tally) {
    this.#fleet = fleet;
    this.#random = random;
    this.#tally = tally;
  }

  /** Everything that was asked so far. */
  get asked(): readonly Asked[] {
    return this.#calls.map(({ asked }) => asked);
  }

  /** Asks by HTTP, with an `Idempotency-Key`. @returns undefined when patience ended */
  http(
    party: Party,
    what: Asked['what'],
    request: { readonly path: string; readonly body: object; readonly name: string },
  ): Promise<FinalAnswer | undefined> {
    const { path, body, name } = request;
    const url = `${party.mount}${path}`;
    const call: Call = {
      asked: { acting: party.acting, via: 'http', what, names: [name] },
      send: async (api) => {
        const answer = await party.client.post(`${api}${url}`, body, `${what} ${name}`);
        if (call.text !== undefined && call.text !== answer.text) {
          this.violations.push(`${what} ${name} was answered ${call.text}, then ${answer.text}`);
        }
        if (answer.status === 200) call.text = answer.text;
        return this.#readHttp(answer, `${what} ${name}`);
      },
    };
    return this.#ask(call);
  }

  /** Has the host do it in a transaction of its own. @returns undefined when patience ended */
  using(
    party: Party,
    what: Asked['what'],
    request: ShopRequest,
    names: readonly string[],
  ): Promise<FinalAnswer | undefined> {
    return this.#ask({
      asked: { acting: party.acting, via: 'using', what, names },
      send: async (api) => {
        const answer = await party.client.post(`${api}/shop`, request);
        return this.#readShop(answer, `${what} ${names.join(' and ')} by using(trx)`);
      },
    });
  }

  /** Makes a payment method. @returns its id, undefined when nobody answers */
  async paymentMethod(party: Party, body: object): Promise<string | undefined> {
    try {
      const url = `${this.#api()}${party.mount}/v1/payment_methods`;
      const answer = await party.client.post(url, body);
      this.#check(answer, 'A payment method');
      return answer.status === 200 ? String(answer.json['id']) : undefined;
    } catch {
      return undefined;
    }
  }

  /** @returns the status of a charge, undefined when nobody answers */
  async readStatus(party: Party, id: string): Promise<string | undefined> {
    try {
      const answer = await party.client.get(`${this.#api()}${party.mount}/v1/charges/${id}`);
      this.#check(answer, `GET of ${id}`);
      return answer.status === 200 ? String(answer.json['status']) : undefined;
    } catch {
      return undefined;
    }
  }

  /** @returns disputes that wait for an answer of the merchant; none when nobody answers */
  async listOpenDisputes(party: Party): Promise<readonly OpenDispute[]> {
    try {
      const url = `${this.#api()}${party.mount}/v1/disputes?limit=20`;
      const answer = await party.client.get(url);
      this.#check(answer, 'The list of disputes');
      const listed = (answer.json['data'] ?? []) as readonly OpenDispute[];
      return listed.filter(({ status }) => status.endsWith('needs_response'));
    } catch {
      return [];
    }
  }

  /** From now on nobody asks twice, but for `askAgain`. */
  losePatience(): void {
    this.#isPatient = false;
  }

  /** Asks once more for everything that has no answer yet. @returns how many still have none */
  async askAgain(): Promise<number> {
    const open = this.#calls.filter(({ asked }) => asked.answer === undefined);
    await Promise.all(open.map((call) => this.#once(call)));
    return open.filter(({ asked }) => asked.answer === undefined).length;
  }

  /** Sends some requests once more that were answered: each must get the same bytes. */
  async replay(count: number): Promise<void> {
    const answered = this.#calls.filter(({ text }) => text !== undefined);
    const chosen = this.#random.shuffle(answered).slice(0, count);
    for (const call of chosen) await call.send(this.#api());
    this.#tally.add('answers replayed', chosen.length);
  }

  async #ask(call: Call): Promise<FinalAnswer | undefined> {
    this.#calls.push(call);
    const deadlineMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await this.#once(call);
      if (answer !== undefined || performance.now() > deadlineMs) return answer;
      if (!this.#isPatient) return undefined;
      await wait(this.#random.between(...RETRY_MS));
    }
  }

  async #once(call: Call): Promise<FinalAnswer | undefined> {
    if (this.#fleet.apis().length === 0) return undefined;
    try {
      const answer = await call.send(this.#api());
      if (answer !== undefined) call.asked = { ...call.asked, answer };
      return answer;
    } catch {
      this.#tally.add('requests without an answer');
      call.asked = { ...call.asked, wasCut: true };
      return undefined;
    }
  }

  /** @throws Error when no API process runs */
  #api(): string {
    return this.#random.pick(this.#fleet.apis());
  }

  #readHttp(answer: ApiAnswer, where: string): FinalAnswer | undefined {
    const { status, json, code = '' } = answer;
    this.#check(answer, where);
    if (status === 200) {
      return { verdict: 'done', ids: [String(json['id'])], status: String(json['status']) };
    }
    if (status === 402 || status === 502) return { verdict: 'failed', code };
    if (PASSING.has(code) || status >= 500) return undefined;
    return this.#refused(code, where);
  }

  #readShop(answer: ApiAnswer, where: string): FinalAnswer | undefined {
    this.#check(answer, where);
    const word = answer.json as ShopAnswer | Record<string, never>;
    switch (word.result) {
      case 'committed':
        return { verdict: 'done', ids: word.ids };
      case 'rolled back':
        return { verdict: 'rolled back' };
      case 'failed':
        if (answer.status === 503 || PASSING.has(word.code)) return undefined;
        return this.#refused(word.code, where);
      default:
        return undefined;
    }
  }

  #refused(code: string, where: string): FinalAnswer {
    this.#tally.add(`refused with ${code}`);
    if (!REFUSALS.has(code)) this.violations.push(`${where} was refused with ${code}.`);
    return { verdict: 'refused', code };
  }

  /** What no answer may be, whatever died. */
  #check({ status, text }: ApiAnswer, where: string): void {
    this.#tally.add(`answers ${status}`);
    const isWrong = status >= 500 && status !== 502 && status !== 503;
    const tellsOfDeadlock = /deadlock|40P01/i.test(text);
    const isLimited = status === 429 && !text.includes('"lock_timeout"');
    if (isWrong || tellsOfDeadlock || isLimited || [401, 403, 404].includes(status)) {
      this.violations.push(`${where} was answered ${status} ${text.slice(0, 300)}`);
    }
  }
}
