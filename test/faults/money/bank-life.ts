import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '@paymount/core/kernel';
import { STORIES, type Step, type Story } from './dispute-stories.ts';
import type { Aftermath, BankAnswer, BankCase, BankSettlement } from './journal.ts';
import type { Postman } from './postman.ts';
import type { SeededRandom } from './seeded-random.ts';

type Mutable<Facts> = { -readonly [Key in keyof Facts]: Facts[Key] };

/** A payment from which the bank has taken money. */
interface Sold {
  readonly environment: Environment;
  readonly charge: string;
  readonly amount: number;
  readonly currency: string;
  /** What the bank calls the payment: its authorization or its capture. */
  readonly references: readonly string[];
  /** Whether the bank settles what this charge moves while the run goes on. */
  readonly isSettled: boolean;
}

/** How late a notice comes after what it is about, so that notices overtake each other. */
const DELAY_MS = [0, 1_800] as const;
const BETWEEN_STEPS_MS = [40, 500] as const;
const CLEARING_MS = [200, 2_000] as const;
const BETWEEN_RETURN_MS = [300, 1_500] as const;
/** Of sales. */
const SHARE_TOLD = 0.5;
const SHARE_SETTLED = 0.7;
const SHARE_DISPUTED = 0.4;
/** Of debits. */
const SHARE_RETURNED = 0.25;
const SHARE_RETURNED_LATE = 0.2;
/** Of payouts. */
const SHARE_FAILED = 0.15;
const SHARE_PAID_BACK = 0.15;
const SHARE_NAMED_BY_OPERATION = 0.3;
const RETURN_CODES = ['R01', 'R02', 'R10'] as const;

/**
 * What happens at the bank after it has acted, and that it reports without being asked: debits clear or
 * come back, issuers take money back and rule about it, payouts come back, and what moved is settled.
 */
export class BankLife {
  readonly #random: SeededRandom;
  readonly #postman: Postman;
  readonly #authorizations = new Map<string, string>();
  readonly #running = new Set<Promise<void>>();
  readonly #hurry = new AbortController();
  readonly #cases: Mutable<BankCase>[] = [];
  readonly #lateReturns: string[] = [];
  readonly #returnedPayouts: string[] = [];
  readonly #settlements: BankSettlement[] = [];
  #numbered = 0;
  #lastMs = 0;

  constructor(random: SeededRandom, postman: Postman) {
    this.#random = random;
    this.#postman = postman;
  }

  get aftermath(): Aftermath {
    return {
      cases: this.#cases,
      lateReturns: this.#lateReturns,
      returnedPayouts: this.#returnedPayouts,
      settlements: this.#settlements,
    };
  }

  /** How much goes on that has no end yet. */
  get running(): number {
    return this.#running.size;
  }

  /** From now on nothing waits. */
  hurry(): void {
    this.#hurry.abort();
  }

  /** Begins what follows from something that the bank has just done for the first time. */
  follow(done: Mutable<BankAnswer>): void {
    const isDebit = done.kind === 'authorize' && done.verdict === 'pending';
    if (done.kind === 'authorize') this.#authorizations.set(done.subject, done.reference);
    if (isDebit) this.#begin(this.#clear(done));
    if (done.kind === 'payout') this.#begin(this.#pay(done));
    if (done.verdict !== 'approved') return;
    const takes = done.kind === 'capture' || (done.kind === 'authorize' && done.capture);
    if (takes) this.#sellCard(done);
    if (done.kind === 'refund') this.#giveBack(done);
  }

  #begin(story: Promise<void>): void {
    const running = story.finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  #sellCard(done: BankAnswer): void {
    const { environment, amount, currency, fee, availableOn } = done;
    const sold = this.#sell(done);
    if (this.#random.chance(SHARE_TOLD)) {
      const data = { amount, currency, fee, availableOn };
      void this.#tell(environment, 'charge.settled', { ...this.#named(done), data });
    }
    if (this.#random.chance(SHARE_DISPUTED)) {
      this.#begin(this.#dispute(sold, this.#random.pick(STORIES)));
    }
  }

  #sell(done: BankAnswer): Sold {
    const { environment, subject: charge, amount, currency, reference, fee } = done;
    const authorization = this.#authorizations.get(charge) ?? reference;
    const references = [...new Set([reference, authorization])];
    const isSettled = this.#random.chance(SHARE_SETTLED);
    if (isSettled) this.#settle(done, { amount, fee, kind: 'payment' }, references);
    return { environment, charge, amount, currency, references, isSettled };
  }

  #giveBack(done: BankAnswer): void {
    const { environment, amount, currency, reference } = done;
    if (this.#random.chance(SHARE_TOLD)) {
      const data = { amount, currency };
      void this.#tell(environment, 'refund.settled', { ...this.#named(done), data });
    }
    if (this.#random.chance(SHARE_SETTLED)) {
      this.#settle(done, { amount: -amount, fee: 0, kind: 'refund' }, [reference]);
    }
  }

  /** A debit clears, or comes back; some come back after they have cleared. */
  async #clear(done: Mutable<BankAnswer>): Promise<void> {
    await this.#wait(CLEARING_MS);
    const { environment, amount, currency, availableOn, subject } = done;
    if (this.#random.chance(SHARE_RETURNED)) {
      done.verdict = 'declined';
      done.returnCode = this.#random.pick(RETURN_CODES);
      const returned = { ...this.#named(done), data: comesBack(done.returnCode) };
      return this.#tell(environment, 'charge.failed', returned);
    }
    done.verdict = 'approved';
    const comesBackLate = this.#random.chance(SHARE_RETURNED_LATE);
    const sold = this.#sell(done);
    const cleared = { ...this.#named(done), data: { amount, currency, availableOn } };
    await this.#tell(environment, 'charge.settled', cleared);
    if (!comesBackLate) return;
    await this.#wait(BETWEEN_RETURN_MS);
    this.#lateReturns.push(subject);
    if (sold.isSettled) {
      this.#settle(sold, { amount: -amount, fee: 0, kind: 'return' }, sold.references);
    }
    const data = comesBack(this.#random.pick(RETURN_CODES));
    const returned = { ...this.#named(done), data };
    return this.#tell(environment, 'charge.failed', returned);
  }

  async #pay(done: Mutable<BankAnswer>): Promise<void> {
    const { environment, subject } = done;
    const failure = { code: 'account_closed', message: 'The account is closed.' };
    if (done.verdict === 'pending') {
      await this.#wait(CLEARING_MS);
      done.verdict = this.#random.chance(SHARE_FAILED) ? 'declined' : 'approved';
      if (done.verdict === 'declined') {
        return this.#tell(environment, 'payout.failed', { ...this.#named(done), data: failure });
      }
    }
    await this.#tell(environment, 'payout.paid', { ...this.#named(done), data: {} });
    if (!this.#random.chance(SHARE_PAID_BACK)) return;
    await this.#wait(BETWEEN_RETURN_MS);
    this.#returnedPayouts.push(subject);
    return this.#tell(environment, 'payout.failed', { ...this.#named(done), data: failure });
  }

  async #dispute(sold: Sold, { steps, isRenamed }: Story): Promise<void> {
    this.#numbered += 1;
    const reference = `case_${this.#numbered}`;
    const alertReference = isRenamed ? `alert_${this.#numbered}` : reference;
    const { environment, charge } = sold;
    const amount = this.#random.chance(0.6) ? sold.amount : Math.ceil(sold.amount / 2);
    const own: Mutable<BankCase> = { environment, charge, reference, status: 'alert', taken: 0 };
    this.#cases.push(own);
    const told: Promise<void>[] = [];
    for (const step of steps) {
      await this.#wait(BETWEEN_STEPS_MS);
      const isAboutAlert = step.what === 'alert' || step.what === 'over';
      const disputeReference = isAboutAlert ? alertReference : reference;
      this.#move(own, sold, step, amount);
      told.push(
        this.#tell(environment, KINDS[step.what], {
          processorReference: this.#random.pick(sold.references),
          data: { disputeReference, ...factsOf(step, { amount, currency: sold.currency }) },
        }),
      );
    }
    await Promise.all(told);
  }

  /** What a step does to the money: at once, whenever its notice comes. */
  #move(own: Mutable<BankCase>, sold: Sold, { what }: Step, amount: number): void {
    const before = own.taken;
    if (what === 'opened') Object.assign(own, { status: 'open', taken: amount });
    if (what === 'won') Object.assign(own, { status: 'won', taken: 0 });
    if (what === 'lost') Object.assign(own, { status: 'lost', taken: amount });
    const moved = before - own.taken;
    if (moved === 0 || !sold.isSettled) return;
    const line = { amount: moved, fee: 0, kind: moved < 0 ? 'chargeback' : 'chargeback_reversed' };
    this.#settle(sold, line, sold.references);
  }

  /** A line of the settlement, which may come before or long after what it is about is known. */
  #settle(
    about: Pick<Sold, 'environment' | 'currency'>,
    { amount, fee, kind }: { amount: number; fee: number; kind: string },
    references: readonly string[],
  ): void {
    const { environment, currency } = about;
    this.#settlements.push({ environment, amount, fee });
    this.#numbered += 1;
    const lineId = `line_${this.#numbered}`;
    const settledOn = new Date().toISOString();
    const data = { lineId, amount, currency, kind, settledOn, ...(fee > 0 && { fee }) };
    const processorReference = this.#random.pick(references);
    this.#begin(this.#tell(environment, 'settlement_line', { processorReference, data }));
  }

  /** How a notice names what it is about. */
  #named({ operationId, reference: processorReference }: BankAnswer): object {
    const byOperation = this.#random.chance(SHARE_NAMED_BY_OPERATION);
    return { processorReference, ...(byOperation && { operationId }) };
  }

  #tell(environment: Environment, kind: string, said: object): Promise<void> {
    this.#numbered += 1;
    const noticeId = `notice_${this.#numbered}`;
    const occurredAt = new Date(this.#nextMs()).toISOString();
    const notice = { noticeId, kind, occurredAt, ...said };
    return this.#postman.send(environment, notice, this.#random.between(...DELAY_MS));
  }

  /** No two things happen at the same time. */
  #nextMs(): number {
    this.#lastMs = Math.max(Date.now(), this.#lastMs + 1);
    return this.#lastMs;
  }

  async #wait(range: readonly [number, number]): Promise<void> {
    const ms = this.#random.between(...range);
    await wait(ms, undefined, { signal: this.#hurry.signal }).catch(() => undefined);
  }
}

function comesBack(returnCode: string): object {
  return { code: 'bank_account_declined', message: 'The debit came back.', returnCode };
}

const KINDS: Readonly<Record<Step['what'], string>> = {
  alert: 'dispute.alert',
  opened: 'dispute.opened',
  won: 'dispute.closed',
  lost: 'dispute.closed',
  over: 'dispute.closed',
};

function factsOf(
  { what, round }: Step,
  money: { readonly amount: number; readonly currency: string },
): object {
  const inRound = round !== undefined && { round };
  if (what === 'alert' || what === 'opened') return { ...money, reason: 'fraudulent', ...inRound };
  return { outcome: what === 'over' ? 'warning_closed' : what, ...inRound };
}
