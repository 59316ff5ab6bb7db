import { randomUUID } from 'node:crypto';
import type { ApiAnswer } from '../../api-client.ts';
import { type Merchant, newNotice, type SentNotice, type Setup } from '../setup.ts';
import { learnBilled } from './billed.ts';
import { Book } from './book.ts';
import { type Answer, type Charge, LOOK_UP_MS, type Open } from './objects.ts';
import { payBySchedule } from './payout-rules.ts';
import { passed, settle } from './rules.ts';
import { expectedOf, shownOf } from './shown.ts';

/** The worker sends payouts and looks for lost answers within it. */
const SHORT_MS = 61_000;

/** What the API must answer. */
export interface Expected {
  readonly status: number;
  readonly code?: string;
}

interface Sending {
  /** What the bank does with it. */
  readonly answer?: Answer;
  readonly fee?: number;
  readonly isTwice?: boolean;
}

interface ShownPayout {
  readonly id: string;
  readonly status: string;
  readonly automatic: boolean;
}

export const OK: Expected = { status: 200 };
export const DECLINED: Expected = { status: 402, code: 'card_declined' };

/** A request that must be refused. */
export function refused(code: string, status = 400): Expected {
  return { status, code };
}

/** One account, and what must be true of it. */
export class Player {
  readonly book: Book;
  readonly setup: Setup;
  readonly merchant: Merchant;
  /** All notices that the bank has sent so far. */
  readonly notices: SentNotice[] = [];

  constructor(setup: Setup, merchant: Merchant) {
    this.setup = setup;
    this.merchant = merchant;
    this.book = new Book(setup.clock.now().getTime(), merchant.bank);
  }

  /** One of them, or none where there is none. */
  pick<Item>(items: readonly Item[], pick: number): Item | undefined {
    return items[pick % Math.max(items.length, 1)];
  }

  /** One of them, mostly one with which something can be done. */
  prefer<Item>(
    items: readonly Item[],
    isLikely: (item: Item) => boolean,
    pick: number,
  ): Item | undefined {
    const likely = items.filter(isLikely);
    return this.pick(likely.length === 0 || pick % 4 === 0 ? items : likely, pick);
  }

  /**
   * Sends a request whose answer is known beforehand.
   * @param isTwice sent again under the same Idempotency-Key, which must change nothing
   * @throws Error for any other answer
   */
  async post(
    path: string,
    body: object,
    expected: Expected,
    sending: Sending = {},
  ): Promise<ApiAnswer> {
    const answers = await this.#send(path, body, sending);
    for (const given of answers) this.assert(path, given, expected);
    return answers[0];
  }

  /**
   * The same of a request that may be refused for one of these reasons.
   * @throws Error for any other answer
   */
  async ask(
    path: string,
    body: object,
    refusals: readonly string[],
    sending: Sending = {},
  ): Promise<ApiAnswer> {
    const answers = await this.#send(path, body, sending);
    for (const given of answers) this.assertAllowed(path, given, refusals);
    return answers[0];
  }

  assertAllowed(
    path: string,
    { status, code, text }: ApiAnswer,
    refusals: readonly string[],
  ): void {
    if (status === 200 || (status < 500 && refusals.includes(code ?? ''))) return;
    throw new Error(`${path} was answered ${text}`);
  }

  async #send(
    path: string,
    body: object,
    { answer, isTwice = false, fee }: Sending,
  ): Promise<readonly [ApiAnswer, ...ApiAnswer[]]> {
    if (answer !== undefined) {
      const { verdict, isSilent } = answer;
      this.setup.bank.next = { verdict, ...(isSilent && { isSilent }), ...(fee && { fee }) };
    }
    const key = randomUUID();
    const given = await this.merchant.post(path, body, key);
    this.setup.bank.next = { verdict: 'approved' };
    if (!isTwice) return [given];
    const again = await this.merchant.post(path, body, key);
    if (given.status === 200 && again.text !== given.text) {
      throw new Error(`${path} was answered ${given.text} and then ${again.text}`);
    }
    return [given, again];
  }

  /** The same as an admin of the installation. */
  async admin(path: string, body: object, expected: Expected): Promise<ApiAnswer> {
    const given = await this.setup.admin(path, body);
    this.assert(path, given, expected);
    return given;
  }

  assert(path: string, given: ApiAnswer, { status, code }: Expected): void {
    if (given.status === status && given.code === code) return;
    throw new Error(`${path} was answered ${given.text} instead of ${code ?? status}`);
  }

  /** What became of a request that was accepted: known at once, or left open. */
  settleOrLeave(
    { verdict, isSilent }: Answer,
    open: Pick<Open, 'kind' | 'amount' | 'subject' | 'isOfAlert'>,
  ): void {
    const whole: Open = { ...open, verdict, knownAtMs: this.book.real.nowMs + LOOK_UP_MS };
    if (isSilent) this.book.open.push(whole);
    else settle(this.book, whole);
  }

  /** The bank sends notices in one request, in this order. */
  async notify(notices: readonly SentNotice[]): Promise<void> {
    this.notices.push(...notices);
    this.assert('/notices', await this.setup.notify(notices), OK);
    await this.setup.noticesTried();
  }

  /** A new notice about a charge at the bank. */
  about(charge: Charge, kind: string, data: object): SentNotice {
    const [authorization] = this.setup.bank.journal.get(charge.id) ?? [];
    const { reference: processorReference = '' } = authorization ?? {};
    return newNotice(this.setup, { kind, processorReference, data });
  }

  /** Time passes: first the little that lost answers take, so that due times do not race with them. */
  async pass(ms: number): Promise<void> {
    for (const part of ms > SHORT_MS ? [SHORT_MS, ms - SHORT_MS] : [ms]) {
      await this.setup.pass(part);
      const canceled = await this.canceledPayouts();
      passed(this.book, this.setup.clock.now().getTime(), canceled);
      await this.#nameAutomatic();
      await learnBilled(this);
    }
  }

  /** The worker has done what a request has made due. */
  async bill(): Promise<void> {
    await this.setup.pass(0);
    await learnBilled(this);
    await this.payBySchedule();
  }

  /** Their ids, as the API shows them. */
  async canceledPayouts(): Promise<ReadonlySet<string>> {
    const shown = await this.#shownPayouts();
    return new Set(shown.flatMap(({ id, status }) => (status === 'canceled' ? [id] : [])));
  }

  /** The worker has looked at the schedule once more. */
  async payBySchedule(): Promise<void> {
    payBySchedule(this.book);
    await this.#nameAutomatic();
  }

  /** Learns the id of an automatic payout, and plans what the bank does with it. */
  async #nameAutomatic(): Promise<void> {
    const made = this.book.payouts.find(({ id }) => id === undefined);
    if (made === undefined) return;
    const known = new Set(this.book.payouts.map(({ id }) => id));
    made.id = (await this.#shownPayouts()).find(
      ({ id, automatic }) => automatic && !known.has(id),
    )?.id;
    const open = this.book.openOf(made);
    if (made.id === undefined || open?.unsent === undefined) return;
    const { isSilent } = open.unsent;
    this.setup.bank.planned.set(made.id, { verdict: open.verdict, ...(isSilent && { isSilent }) });
  }

  async #shownPayouts() {
    const { json } = await this.merchant.get('payouts?limit=100');
    return json['data'] as readonly ShownPayout[];
  }

  /** @throws Error if anything is not as the book says */
  async compare(): Promise<void> {
    const shown = await shownOf(this.setup, this.merchant, this.book);
    const expected = expectedOf(this.book);
    const missing = without(expected, shown);
    const tooMany = without(shown, expected);
    if (missing.length + tooMany.length > 0) {
      throw new Error(`expected [${missing.join('; ')}], found [${tooMany.join('; ')}]`);
    }
  }
}

/** Those of `lines` that `others` has not, or has less often. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return lines.filter((line) => {
    const index = left.indexOf(line);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}
