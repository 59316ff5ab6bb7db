import type { EndpointJson } from '@paymount/core/events';
import type { PaymountOptions } from 'paymount';
import pg from 'pg';
import { startApp, type TestApp } from '../support/app.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type SmtpInbox, startSmtpInbox } from '../support/smtp-inbox.ts';
import { type WrittenLog, writtenLog } from '../support/written-log.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** A merchant whose receiver may fail, a clock that stands still, and a mail server. */
export interface FailingSetup extends TestApp {
  readonly clock: FakeClock;
  readonly inbox: SmtpInbox;
  readonly receiver: Receiver;
  readonly log: WrittenLog;
  /** Registers the receiver. @returns the id of the endpoint */
  register(): Promise<string>;
  /** Sets the clock to so long after the registration. */
  at(hours: number, minutes?: number, seconds?: number): void;
  /** Makes an event, and has it sent once. */
  fail(): Promise<void>;
  /** Does what is due; twice, for mails that the first round wrote. */
  drain(): Promise<void>;
  endpoint(id: string): Promise<EndpointJson>;
  enable(id: string): Promise<EndpointJson>;
  update(id: string, change: { readonly url: string }): Promise<EndpointJson>;
  /** Subjects of the mails that arrived, in order. */
  subjects(): readonly string[];
  sql<Row extends object>(text: string, values?: unknown[]): Promise<readonly Row[]>;
}

/** The time of day stands still; waits of milliseconds end, as those of a worker. */
function stillClock(start: string): FakeClock {
  const [day, waits] = [fakeClock(start), fakeClock()];
  return {
    now: () => day.now(),
    monotonicMs: () => waits.monotonicMs(),
    get shiftMs() {
      return day.shiftMs;
    },
    advance(ms) {
      day.advance(ms);
      waits.advance(ms);
    },
  };
}

/** Starts it; `close()` it in `after`. @param email of the account */
export async function startFailingSetup(
  options: Partial<PaymountOptions> = {},
  email: string | null = 'owner@shop.example',
): Promise<FailingSetup> {
  const clock = stillClock('2026-11-21T12:00:00.000Z');
  const [inbox, receiver, log] = [await startSmtpInbox(), await startReceiver(), writtenLog()];
  const mail = { smtp: inbox.url, from: 'Payments <payments@shop.example>' };
  const app = await startApp({ paymount: { clock, logger: log.logger, mail, ...options } });
  if (email !== null) await app.paymount.accounts.update(app.account, { email });
  const database = new pg.Client({ connectionString: app.databaseUrl });
  await database.connect();
  const { acting } = app;
  const { webhookEndpoints, charges } = app.paymount;
  let startMs = 0;
  const drain = async (): Promise<void> => {
    await app.worker.drain();
    await app.worker.drain();
  };
  return {
    ...app,
    clock,
    inbox,
    receiver,
    log,
    drain,
    async register() {
      startMs = clock.now().getTime();
      const url = `${receiver.url}/hook?token=hidden`;
      return (await webhookEndpoints.create(acting, { url, enabled_events: ['*'] })).id;
    },
    at(hours, minutes = 0, seconds = 0) {
      const atMs = startMs + hours * HOUR_MS + minutes * MINUTE_MS + seconds * 1_000;
      clock.advance(atMs - clock.now().getTime());
    },
    async fail() {
      const sale = { amount: 100, currency: 'eur', payment_method: 'pm_card_visa' };
      await charges.create(acting, sale);
      await drain();
    },
    endpoint: (id) => webhookEndpoints.retrieve(acting, id),
    update: (id, change) => webhookEndpoints.update(acting, id, change),
    enable: (id) => webhookEndpoints.update(acting, id, { disabled: false }),
    subjects: () => inbox.mails.map(({ email: { subject } }) => subject ?? ''),
    sql: async <Row extends object>(text: string, values?: unknown[]) =>
      (await database.query<Row>(text, values)).rows,
    async close() {
      await database.end();
      await app.close();
      await receiver.close();
      await inbox.close();
    },
  };
}
