import { userInfo } from 'node:os';
import { expect } from 'chai';
import createKnex from 'knex';
import { createPaymount, type HostHook, type Paymount } from 'paymount';
import { startWorker, type Worker } from 'paymount/worker';
import { ofCharges } from '../support/charge-hook.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { makeSealingKeys } from '../support/make.ts';
import { paymount as command, toJson } from '../support/run-command.ts';
import { type WrittenLog, writtenLog } from '../support/written-log.ts';

const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;
const SALE = { amount: 4_200, currency: 'eur', payment_method: 'pm_card_visa' };

describe('a process without the hook that another process has', () => {
  const sealingKeys = makeSealingKeys();
  let database: TestDatabase;
  let clock: FakeClock;
  let log: WrittenLog;
  /** The shop's web process, and a worker that was started without the hook. */
  let shop: Paymount;
  let bare: Paymount;
  let worker: Worker;
  let account: string;
  /** What the shop's hook was told of. */
  let told: string[] = [];
  let hook: Parameters<typeof ofCharges>[0];

  const open = (options: { readonly hook?: HostHook; readonly logger?: WrittenLog['logger'] }) =>
    createPaymount({
      database: database.url,
      sealingKeys,
      clock,
      mailer: false,
      sandbox: { silenceMs: 20 },
      logger: writtenLog().logger,
      ...options,
    });
  const acting = () => ({ account, environment: 'test' }) as const;
  const readStatus = async (id: string) => (await shop.charges.retrieve(acting(), id)).status;
  const errorLines = (): string[] =>
    log
      .text()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level === 50)
      .map(({ msg }) => msg);
  /** Lets a worker of this mount do what is due. */
  const work = async (paymount: Paymount): Promise<void> => {
    const other = await startWorker(paymount);
    await other.drain();
    await other.close();
  };

  beforeEach(async () => {
    database = await freshDatabase();
    clock = fakeClock();
    log = writtenLog();
    told = [];
    hook = async (_, { charge }) => void told.push(`${charge.id} ${charge.status}`);
    // It runs already when the hook is introduced.
    bare = await open({ logger: log.logger });
    worker = await startWorker(bare);
    shop = await open({ hook: ofCharges((trx, settled) => hook(trx, settled)) });
    await work(shop);
    const made = await shop.accounts.create({
      name: 'Test shop',
      country: 'DE',
      default_currency: 'eur',
    });
    account = made.id;
  });
  afterEach(async () => {
    expect(await shop.verify()).to.deep.equal([]);
    await worker.close();
    await bare.close();
    await shop.close();
    await database.drop();
  });

  it('leaves what the hook refused to processes with the hook', async () => {
    const accepts = hook;
    hook = async () => {
      throw new Error('the order is locked');
    };
    const { id, status } = await shop.charges.create(acting(), SALE);
    expect(status).to.equal('pending');
    hook = accepts;
    for (let pass = 0; pass < 3; pass += 1) {
      clock.advance(61 * SECOND);
      await worker.drain();
    }
    expect([await readStatus(id), told]).to.deep.equal(['pending', []]);
    await work(shop);
    expect([await readStatus(id), told]).to.deep.equal(['succeeded', [`${id} succeeded`]]);
  });

  it('keeps the results of its own calls for them, and says so in its log', async () => {
    const { id, status } = await bare.charges.create(acting(), SALE);
    expect(status).to.equal('pending');
    clock.advance(61 * SECOND);
    await worker.drain();
    expect([await readStatus(id), told]).to.deep.equal(['pending', []]);
    const [line, ...others] = errorLines();
    expect(others).to.deep.equal([]);
    expect(line).to.match(
      new RegExp(
        `^The result of ${id} is not recorded: other processes record results with a hook, and this one has no hook\\. The result is kept and offered again; \`paymount operations show op_\\w+\` shows it\\. Start this process with the same \`hook\`; if no process has it any more, run \`paymount hook remove --reason TEXT\`\\.$`,
      ),
    );
    await work(shop);
    expect([await readStatus(id), told]).to.deep.equal(['succeeded', [`${id} succeeded`]]);
  });

  it('finds out what became of an operation, and keeps it for them', async () => {
    const sale = { ...SALE, payment_method: 'pm_card_timeout_approved' };
    const { id, status } = await shop.charges.create(acting(), sale);
    expect(status).to.equal('pending');
    clock.advance(61 * SECOND);
    await worker.drain();
    expect([await readStatus(id), told]).to.deep.equal(['pending', []]);
    clock.advance(11 * SECOND);
    await work(shop);
    expect([await readStatus(id), told]).to.deep.equal(['succeeded', [`${id} succeeded`]]);
  });

  it('answers hook_missing to who decides a result there, and says what to do', async () => {
    const { id } = await shop.charges.create(acting(), SALE);
    const knex = createKnex({ client: 'pg', connection: database.url, pool: { min: 0, max: 1 } });
    const undo = new Error('The shop rolls back.');
    let refused: unknown;
    const joined = knex.transaction(async (trx) => {
      const { refunds } = bare.using(trx);
      const refund = await refunds.create(acting(), { charge: id });
      refused = await refunds.cancel(acting(), refund.id).catch((error: unknown) => error);
      throw undo;
    });
    expect(await joined.catch((error: unknown) => error)).to.equal(undo);
    await knex.destroy();
    expect(refused).to.include({ code: 'hook_missing', status: 409 });
    expect(String(refused)).to.include(
      'This process has no hook while others have one, so that nothing was recorded.',
    );
  });

  it('expires no authorization', async () => {
    const { id } = await shop.charges.create(acting(), { ...SALE, capture: false });
    clock.advance(8 * DAY);
    told = [];
    await worker.drain();
    expect([await readStatus(id), told]).to.deep.equal(['authorized', []]);
    await work(shop);
    expect([await readStatus(id), told]).to.deep.equal(['failed', [`${id} failed`]]);
  });

  it('records results again once an operator has removed the hook', async () => {
    const settings = { DATABASE_URL: database.url };
    const { id } = await bare.charges.create(acting(), SALE);
    const remove = ['hook', 'remove', '--reason', 'The shop gave it up.'];
    const shown = await command(settings, 'hook', 'show');
    expect(shown.exitCode).to.equal(0);
    expect(shown.out[0]).to.match(
      /^A hook is in use since 20\S+Z: processes without it record no results\.$/,
    );
    const removed = await command(settings, ...remove);
    expect([removed.exitCode, removed.out]).to.deep.equal([
      0,
      [
        'The hook is removed: every process records results. The next process that starts with a hook brings it back.',
      ],
    ]);
    expect(toJson(await command(settings, 'hook', 'show', '--json'))).to.deep.equal({
      in_use: false,
      since: null,
      waiting: 0,
    });
    const exported = (await command(settings, 'audit', 'export')).out.map((line) =>
      JSON.parse(line),
    );
    const [entry, ...others] = exported.filter(({ action }) => action === 'hook.remove');
    expect(others).to.deep.equal([]);
    expect(entry).to.deep.include({ target: 'hook', after: { reason: 'The shop gave it up.' } });
    expect(entry.actor).to.deep.equal({ type: 'command', id: userInfo().username });
    expect((await command(settings, 'hook', 'remove')).err.join(' ')).to.include('--reason <text>');
    expect((await command(settings, ...remove)).out).to.deep.equal(['No hook was in use.']);
    clock.advance(61 * SECOND);
    await worker.drain();
    expect([await readStatus(id), told]).to.deep.equal(['succeeded', []]);
    expect((await bare.charges.create(acting(), SALE)).status).to.equal('succeeded');
  });

  it('says at boot what it leaves to others', async () => {
    const late = await open({ logger: log.logger });
    await late.close();
    expect(errorLines()).to.deep.equal([
      'Results are recorded with a hook here, and this process has no hook: it keeps them for processes that have it. Start it with the same `hook`; if no process has it any more, run `paymount hook remove --reason TEXT`. docs/how-to/deploy.md says how to introduce and remove a hook.',
    ]);
  });
});
