import request, { type Test } from 'supertest';
import { startApp, type TestApp } from '../support/app.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import type { TestHostOptions } from '../support/host.ts';
import { verifyDatabase } from '../support/verify-database.ts';
import { WatchedBank } from '../support/watched-bank.ts';

/** A shop's counter: the API, the bank behind it, and its data. */
export interface Counter {
  readonly app: TestApp;
  readonly bank: WatchedBank;
  readonly clock: FakeClock;
  post(path: string, body?: object, idempotencyKey?: string): Test;
  get(path: string): Test;
  /** A charge of 100.00 eur, but for what is given. @returns its JSON */
  // biome-ignore lint/suspicious/noExplicitAny: JSON of an answer, as supertest gives it.
  charge(body?: object): Promise<any>;
  /** Time passes, and everything that is due then is done. */
  pass(ms: number): Promise<void>;
  /** Types of the events about an object, in order. */
  listEvents(objectId: string): Promise<readonly string[]>;
  /** What is wrong with the data at this moment; empty is good. */
  audit(): Promise<readonly string[]>;
  readonly eventually: typeof eventually;
}

/** Opens a counter; close `app` in `after`. */
export async function openCounter(mount?: TestHostOptions['mount']): Promise<Counter> {
  const clock = fakeClock();
  const bank = new WatchedBank(clock);
  const app = await startApp({
    paymount: { clock, processors: { test: bank } },
    ...(mount && { mount }),
  });
  const post: Counter['post'] = (path, body = {}, key) => {
    const asked = request(app.url).post(path).auth(app.secretKey, '').send(body);
    return key === undefined ? asked : asked.set('Idempotency-Key', key);
  };
  return {
    app,
    bank,
    clock,
    post,
    get: (path) => request(app.url).get(path).auth(app.secretKey, ''),
    async charge(body = {}) {
      const sale = { amount: 10_000, currency: 'eur', source: 'tok_visa' };
      const made = await post('/v1/charges', { ...sale, ...body });
      if (made.status !== 200) throw new Error(`No charge could be made: ${made.text}`);
      return made.body;
    },
    async pass(ms) {
      clock.advance(ms);
      await app.worker.drain();
    },
    async listEvents(objectId) {
      const rows = await query<{ type: string }>(
        app.databaseUrl,
        'SELECT type FROM paymount.events WHERE object_id = $1 ORDER BY id',
        [objectId],
      );
      return rows.map(({ type }) => type);
    },
    async audit() {
      const found = await verifyDatabase(app.databaseUrl, 'under way');
      // The bank of these tests keeps no table of what it executed, and nobody is there to settle.
      const expected = ['A processor executed', 'No operation is quarantined'];
      return found.filter((sentence) => !expected.some((start) => sentence.startsWith(start)));
    },
    eventually,
  };
}
