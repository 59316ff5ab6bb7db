import { expect } from 'chai';
import { type HostHook, hostSessionAdmin, type Paymount } from 'paymount';
import { NotSentError, type Processor } from 'paymount/processor';
import { startWorker, type Worker } from 'paymount/worker';
import request from 'supertest';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { DoubtfulBank } from '../support/doubtful-bank.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { makeSealingKeys } from '../support/make.ts';
import { writtenLog } from '../support/written-log.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const CARD = { type: 'card', card: { token: 'tok_visa' } } as const;
const SALE = { amount: 4_200, currency: 'eur' };

type Answer = Awaited<ReturnType<Processor['authorize']>>;

/** A bank that answers a sale as it is told to. */
class ToldBank extends DoubtfulBank {
  /** Undefined: as the bank of the sandbox. */
  answer: Answer | Error | undefined;

  override async authorize(operation: Parameters<Processor['authorize']>[0]): Promise<Answer> {
    const own = await super.authorize(operation);
    if (this.answer instanceof Error) throw this.answer;
    return this.answer ?? own;
  }
}

const DECLINED: Answer = {
  outcome: 'declined',
  code: 'card_declined',
  declineCode: 'generic_decline',
  message: 'Your card was declined.',
  retry: 'never',
};
const REJECTED: Answer = { outcome: 'rejected', code: 'no_contract', message: 'No contract.' };
const NOT_SENT = new NotSentError('The bank could not be reached.');

describe('a known result in a process without the hook', () => {
  const sealingKeys = makeSealingKeys();
  let database: TestDatabase;
  let clock: FakeClock;
  let bank: ToldBank;
  let log = writtenLog();
  let mails: { readonly to: string; readonly subject: string }[] = [];
  /** The app with the hook, which runs no worker, and a worker that was started without the hook. */
  let shop: Paymount;
  let setup: TestHost;
  let account: string;
  let other: TestHost;
  let bare: Paymount;
  let worker: Worker;
  let hook: HostHook;

  const start = async (idempotentSubmit: boolean): Promise<void> => {
    clock = fakeClock();
    log = writtenLog();
    mails = [];
    hook = async () => undefined;
    bank = new ToldBank(clock, idempotentSubmit);
    const mail = { operator: 'operator@shop.test' };
    const mailer = { send: async (sent: (typeof mails)[number]) => void mails.push(sent) };
    const data = { databaseUrl: database.url, sealingKeys };
    const processors = { test: bank };
    const authenticate = hostSessionAdmin(() => ({ id: 'ops', roles: ['admin'] }));
    setup = await startHost(data, {
      paymount: { processors, clock, hook: (trx, settled) => hook(trx, settled) },
      mount: (app, paymount) => void app.use(paymount.managementRouter({ authenticate })),
    });
    shop = setup.paymount;
    await work();
    const shopkeeper = { name: 'Test shop', country: 'DE', default_currency: 'eur' };
    account = (await shop.accounts.create(shopkeeper)).id;
    const { logger } = log;
    other = await startHost(data, { paymount: { processors, clock, mail, mailer, logger } });
    bare = other.paymount;
    worker = await startWorker(bare);
  };
  /** Lets a worker with the hook do what is due. */
  const work = async (): Promise<void> => {
    const other = await startWorker(shop);
    await other.drain();
    await other.close();
  };
  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(async () => {
    await worker.close();
    await other.close();
    await setup.close();
    await database.drop();
  });

  const acting = () => ({ account, environment: 'test' }) as const;
  const sell = async (paymount: Paymount): Promise<string> => {
    const { id } = await paymount.paymentMethods.create(acting(), CARD);
    const charge = await paymount.charges.create(acting(), { ...SALE, payment_method: id });
    expect(charge.status).to.equal('pending');
    return charge.id;
  };
  const readStatus = async (id: string) => (await shop.charges.retrieve(acting(), id)).status;
  /** Lets the worker without the hook do what is due, at several times. */
  const pass = async (times: number, ms: number): Promise<void> => {
    for (let each = 0; each < times; each += 1) {
      clock.advance(ms);
      await worker.drain();
    }
  };
  const kinds = () => bank.calls.map(({ kind }) => kind);

  for (const idempotentSubmit of [true, false]) {
    for (const [name, answer, status] of [
      ['approved', undefined, 'succeeded'],
      ['declined', DECLINED, 'failed'],
      ['rejected', REJECTED, 'failed'],
      ['not sent', NOT_SENT, 'failed'],
    ] as const) {
      const again = idempotentSubmit ? 'may' : 'may not';
      it(`that is ${name} is not asked for again, where a request ${again} be repeated`, async () => {
        await start(idempotentSubmit);
        bank.answer = answer;
        const id = await sell(bare);
        await pass(6, 7 * MINUTE);
        expect([await readStatus(id), kinds()]).to.deep.equal(['pending', ['authorize']]);
        await work();
        expect([await readStatus(id), kinds()]).to.deep.equal([status, ['authorize']]);
        expect(await shop.verify()).to.deep.equal([]);
      });
    }
  }

  it('that two look-ups found to be not sent is not asked for again', async () => {
    await start(false);
    bank.answer = new Error('The connection broke.');
    bank.found = 'not_found';
    const id = await sell(bare);
    await pass(8, 7 * MINUTE);
    const calls = ['authorize', 'lookup', 'lookup'];
    expect([await readStatus(id), kinds()]).to.deep.equal(['pending', calls]);
    await work();
    expect([await readStatus(id), kinds()]).to.deep.equal(['failed', calls]);
  });

  it('is shown by every process, and written to the operator once, after 5 minutes', async () => {
    await start(true);
    // Once a day; the next one begins now, and is longer than this test.
    clock.advance(DAY - (clock.now().getTime() % DAY));
    hook = () => Promise.reject(new Error('the order is locked'));
    const id = await sell(shop);
    const listed = async () => (await request(setup.url).get('/operations')).body.data;
    const health = async () => (await request(setup.url).get('/health')).body.operations;
    await pass(1, 61 * SECOND);
    const nothing = { under_review: 0, hook_waits: 0, oldest_ms: null };
    expect(await health()).to.deep.equal({ live: nothing, test: nothing });
    expect([await shop.verify(), mails]).to.deep.equal([[], []]);
    await pass(8, 5 * MINUTE);
    expect(await health())
      .to.have.property('test')
      .that.includes({ under_review: 1, hook_waits: 1 });
    expect((await request(setup.url).get('/metrics')).text).to.include(
      '\npaymount_operations_hook_waits{environment="test"} 1\n',
    );
    const operations = await listed();
    expect(operations).to.have.length(1);
    expect([operations[0].charge, operations[0].review.cause]).to.deep.equal([id, 'hook_waits']);
    const rule = 'No result waits for the hook for more than 5 minutes.';
    expect((await shop.verify()).map((found) => [found.rule, found.subject])).to.deep.equal([
      [rule, operations[0].id],
    ]);
    expect(mails.map(({ to, subject }) => [to, subject])).to.deep.equal([
      ['operator@shop.test', '1 test result waits for the hook'],
    ]);
    // Of eight passes that saw it, the first, the second, the fourth and the eighth.
    const told = log.text().split('Results wait for a process with the hook');
    expect(told.length - 1).to.be.within(3, 5);
    hook = async () => undefined;
    await work();
    expect(await readStatus(id)).to.equal('succeeded');
    expect(await health()).to.deep.equal({ live: nothing, test: nothing });
    expect(await shop.verify()).to.deep.equal([]);
    expect(await listed()).to.deep.equal([]);
  });
});
