import { createGuard, type Guard } from '@paymount/auth';
import { createAccountService, createKeyService } from '@paymount/core/access';
import { DispatchHub } from '@paymount/core/events';
import { type Clock, PaymountError } from '@paymount/core/kernel';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import pg from 'pg';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { keptLog } from '../support/kept-log.ts';
import { requestWith } from '../support/memory-credentials.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';

const BOUND_MS = 500;
const clock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  shiftMs: 0,
};

/** One process: its own connections, its own guard, its own cache. */
interface Process {
  readonly storage: PostgresStorage;
  readonly guard: Guard;
}

describe('revocation on PostgreSQL, in two processes', () => {
  let database: TestDatabase;
  const processes: Process[] = [];

  before(async function () {
    this.timeout(30_000);
    database = await freshDatabase();
    for (let n = 0; n < 2; n += 1) {
      const storage = createPostgresStorage({
        connection: database.url,
        dispatch: new DispatchHub(),
      });
      const guard = createGuard({ credentials: storage.credentials, clock, logger: keptLog() });
      processes.push({ storage, guard });
    }
  });

  after(async () => {
    for (const { guard, storage } of processes) {
      guard.close();
      await storage.close();
    }
    await database.drop();
  });

  function processAt(index: number): Process {
    const process = processes[index];
    if (process === undefined) throw new Error('There are two processes.');
    return process;
  }

  function service() {
    const { access, directory } = processAt(0).storage;
    return createKeyService({ access, keys: directory.keys, clock });
  }

  async function newKey() {
    const account = await createAccountService({
      access: processAt(0).storage.access,
      clock,
    }).create({
      name: 'Café Noir',
      country: 'DE',
      defaultCurrency: 'eur',
    });
    return service().create({
      accountId: account.id,
      environment: 'test',
      type: 'secret',
      name: 'Server',
      createdBy: 'test',
    });
  }

  async function ask(guard: Guard, secret: string): Promise<string> {
    try {
      const principal = await guard.authenticate(requestWith(`Bearer ${secret}`), 'test');
      return principal.accountId;
    } catch (error) {
      if (PaymountError.is(error)) return error.code;
      throw error;
    }
  }

  it('lets a key in as soon as it was made, in every process', async () => {
    const { key, secret } = await newKey();
    for (const { guard } of processes) expect(await ask(guard, secret)).to.equal(key.accountId);
  });

  it('refuses a revoked key everywhere within 500 ms of the commit, and never lets it in again', async function () {
    this.timeout(30_000);
    for (let round = 0; round < 3; round += 1) {
      const { key, secret } = await newKey();
      const lastAcceptMs = [0, 0];
      let revokedMs = Number.POSITIVE_INFINITY;
      let stop = false;
      const loops = processes.map(async ({ guard }, index) => {
        while (!stop) {
          const answer = await ask(guard, secret);
          const nowMs = performance.now();
          if (answer === key.accountId) lastAcceptMs[index] = nowMs;
          else expect(answer).to.equal('api_key_revoked');
          if (nowMs > revokedMs + BOUND_MS + 200) return;
          await new Promise((resolve) => setImmediate(resolve));
        }
      });
      // Both processes are busy with the key, and hold it under a lease, when it is revoked.
      await eventually(() => lastAcceptMs.every((ms) => ms > 0));
      await service().revoke(key.id, 'owner');
      revokedMs = performance.now();
      await Promise.all(loops).finally(() => {
        stop = true;
      });
      for (const ms of lastAcceptMs) expect(ms - revokedMs).to.be.below(BOUND_MS);
      for (const { guard } of processes) {
        expect(await ask(guard, secret)).to.equal('api_key_revoked');
      }
    }
  });

  it('answers a warm key in the same turn', async () => {
    const { key, secret } = await newKey();
    const { guard } = processAt(1);
    const request = requestWith(`Bearer ${secret}`);
    await eventually(async () => {
      const answer = guard.authenticate(request, 'test');
      await answer;
      return !(answer instanceof Promise);
    });
    expect(guard.authenticate(request, 'test')).to.include({ accountId: key.accountId });
  });

  it('answers 503, once the lease has lapsed, when its database was cut off', async function () {
    this.timeout(30_000);
    const proxy = await openTcpProxy(database.url);
    const storage = createPostgresStorage({ connection: proxy.url, dispatch: new DispatchHub() });
    const logger = keptLog();
    const guard = createGuard({ credentials: storage.credentials, clock, logger });
    try {
      const { key, secret } = await newKey();
      await eventually(async () => (await ask(guard, secret)) === key.accountId);
      proxy.freeze();
      await service().revoke(key.id, 'leak');
      const revokedMs = performance.now();
      const answers = new Set<string>();
      let lastAcceptMs = revokedMs;
      await eventually(async () => {
        const answer = await ask(guard, secret);
        if (answer === key.accountId) lastAcceptMs = performance.now();
        if (performance.now() > revokedMs + BOUND_MS) answers.add(answer);
        return performance.now() > revokedMs + BOUND_MS + 300;
      });
      expect(lastAcceptMs - revokedMs).to.be.below(BOUND_MS);
      expect([...answers]).to.deep.equal(['unavailable']);
      expect(logger.lines.map(({ level }) => level)).to.deep.equal(['warn']);
      proxy.mend();
      await eventually(async () => (await ask(guard, secret)) === 'api_key_revoked');
    } finally {
      guard.close();
      await storage.close();
      await proxy.close();
    }
  });

  it('refuses a key that was ended at once, or replaced without an overlap, where the clock is an hour behind', async () => {
    const behind: Clock = { ...clock, now: () => new Date(Date.now() - 3_600_000) };
    const { credentials } = processAt(1).storage;
    const guard = createGuard({ credentials, clock: behind, logger: keptLog() });
    const [edited, rotated] = [await newKey(), await newKey()];
    for (const { key, secret } of [edited, rotated]) {
      expect(await ask(guard, secret)).to.equal(key.accountId);
    }
    await service().update(edited.key.id, { expiresAt: new Date() });
    await service().rotate(rotated.key.id, { overlapSeconds: 0 });
    for (const { secret } of [edited, rotated]) {
      await eventually(async () => (await ask(guard, secret)) === 'api_key_expired');
    }
    guard.close();
  });

  it('refuses a revoked key also when more changes followed than one sync returns', async () => {
    const { key, secret } = await newKey();
    const { guard } = processAt(1);
    await eventually(async () => (await ask(guard, secret)) === key.accountId);
    await service().revoke(key.id, 'owner');
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(
      `WITH moved AS (UPDATE paymount.auth_epoch SET gen = gen + 1001 RETURNING gen, mark)
       INSERT INTO paymount.auth_change (gen, mark, subjects)
       SELECT gen - 1001 + n, CASE n WHEN 1001 THEN mark ELSE gen_random_uuid() END, '{}'
       FROM moved, generate_series(1, 1001) AS n`,
    );
    await admin.end();
    const { credentials } = processAt(0).storage;
    const now = await credentials.syncEpoch(undefined);
    const seen = (gen: bigint) => credentials.syncEpoch({ gen, mark: 'any' });
    expect((await seen(now.current.gen - 1000n)).changes).to.have.length(1001);
    expect((await seen(now.current.gen - 1001n)).changes).to.deep.equal([]);
    await eventually(async () => (await ask(guard, secret)) === 'api_key_revoked');
  });

  it('keeps the changes of an hour, and purges ten older ones with each that comes', async () => {
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(
      `INSERT INTO paymount.auth_change (gen, mark, subjects, created)
       SELECT n, gen_random_uuid(), '{}',
         now() - CASE WHEN n < -30 THEN interval '61 minutes' ELSE interval '59 minutes' END
       FROM generate_series(-60, -1) AS n`,
    );
    const left = async (): Promise<number | undefined> => {
      const text = 'SELECT count(*)::integer AS count FROM paymount.auth_change WHERE gen < 0';
      return (await admin.query<{ count: number }>(text)).rows[0]?.count;
    };
    // An account and a key: two changes.
    await newKey();
    expect(await left()).to.equal(40);
    await newKey();
    await newKey();
    expect(await left()).to.equal(30);
    await admin.end();
  });

  it('keeps the first reason of a revocation', async () => {
    const { key } = await newKey();
    const first = await service().revoke(key.id, 'leak');
    const second = await service().revoke(key.id, 'owner');
    expect(first).to.include({ status: 'revoked', revokedReason: 'leak' });
    expect(second).to.deep.equal(first);
  });
});
