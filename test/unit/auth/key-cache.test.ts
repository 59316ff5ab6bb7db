import { createGuard, type Guard } from '@paymount/auth';
import { mintKey } from '@paymount/core/access';
import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import { compareHistory } from '../../../packages/auth/src/guard/epoch-sync.ts';
import { KeyCache } from '../../../packages/auth/src/guard/key-cache.ts';
import { KnownKey } from '../../../packages/auth/src/guard/known-key.ts';
import { fakeClock } from '../../support/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { keptLog } from '../../support/kept-log.ts';
import { requestWith, StoredKeys, storedKey } from '../../support/memory-credentials.ts';

const key = storedKey('secret', 'test');

function setUp() {
  const stored = new StoredKeys(key);
  const clock = fakeClock('2026-05-01T12:00:00Z');
  const logger = keptLog();
  const guard = createGuard({ credentials: stored, clock, logger });
  return { stored, clock, logger, guard };
}

/** `let in`, or the code of the refusal, and whether it came in the same turn. */
async function ask(guard: Guard, secret = key.secret): Promise<string> {
  let answer: unknown;
  try {
    answer = guard.authenticate(requestWith(`Bearer ${secret}`), 'test');
  } catch (error) {
    return PaymountError.is(error) ? `${error.code} at once` : String(error);
  }
  if (!(answer instanceof Promise)) return 'let in at once';
  try {
    await answer;
    return 'let in';
  } catch (error) {
    return PaymountError.is(error) ? error.code : String(error);
  }
}

/** Two requests, after which the key is cached under a lease. */
async function warmUp(guard: Guard): Promise<void> {
  expect(await ask(guard)).to.equal('let in');
  expect(await ask(guard)).to.equal('let in');
  expect(await ask(guard)).to.equal('let in at once');
}

describe('the guard and its cache', () => {
  it('answers a warm key in the same turn, without asking the database', async () => {
    const { guard, stored, clock } = setUp();
    await warmUp(guard);
    const before = { ...stored.asked };
    clock.advance(250);
    for (let n = 0; n < 1000; n += 1) expect(await ask(guard)).to.equal('let in at once');
    expect(stored.asked).to.deep.equal(before);
  });

  it('answers an unknown key from the cache too', async () => {
    const { guard, stored } = setUp();
    await warmUp(guard);
    const guess = mintKey('secret', 'test');
    expect(await ask(guard, guess)).to.equal('api_key_invalid');
    const before = { ...stored.asked };
    expect(await ask(guard, guess)).to.equal('api_key_invalid at once');
    expect(stored.asked).to.deep.equal(before);
  });

  it('asks for changes when a request finds the lease older than 250 ms, and never when idle', async () => {
    const { guard, stored, clock } = setUp();
    await warmUp(guard);
    const { syncs } = stored.asked;
    clock.advance(60_000);
    await settle();
    expect(stored.asked.syncs).to.equal(syncs);
    expect(await ask(guard)).to.equal('let in');
    expect(stored.asked.syncs).to.equal(syncs + 1);
    clock.advance(251);
    expect(await ask(guard)).to.equal('let in at once');
    expect(stored.asked.syncs).to.equal(syncs + 2);
  });

  it('asks for changes four times in a busy second', async () => {
    const { guard, stored, clock } = setUp();
    await warmUp(guard);
    const before = { ...stored.asked };
    for (let ms = 0; ms < 1000; ms += 1) {
      clock.advance(1);
      expect(await ask(guard)).to.equal('let in at once');
      await settle();
    }
    expect(stored.asked.syncs - before.syncs).to.be.within(3, 4);
    expect(stored.asked.lookUps).to.equal(before.lookUps);
  });

  it('refuses a revoked key once the next sync is in, and keeps the others', async () => {
    const { guard, stored, clock } = setUp();
    const other = storedKey('secret', 'test');
    stored.commit(other.credential);
    await warmUp(guard);
    expect(await ask(guard, other.secret)).to.equal('let in');
    stored.revoke(key.credential);
    clock.advance(251);
    expect(await ask(guard)).to.equal('let in at once');
    await settle();
    expect(await ask(guard)).to.equal('api_key_revoked');
    expect(await ask(guard, other.secret)).to.equal('let in at once');
  });

  it('refuses every key of a suspended account', async () => {
    const { guard, stored, clock } = setUp();
    await warmUp(guard);
    stored.commit({ ...key.credential, accountStatus: 'suspended' });
    clock.advance(251);
    await ask(guard);
    await settle();
    expect(await ask(guard)).to.equal('account_disabled');
  });

  it('shares one look-up among the requests that find the lease lapsed', async () => {
    const { guard, stored, clock } = setUp();
    await warmUp(guard);
    clock.advance(501);
    const { lookUps } = stored.asked;
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask(guard)));
    expect(new Set(answers)).to.deep.equal(new Set(['let in']));
    expect(stored.asked.lookUps).to.equal(lookUps + 1);
  });

  it('answers 503 with Retry-After 1 once the lease has lapsed and the database is gone', async () => {
    const { guard, stored, clock, logger } = setUp();
    await warmUp(guard);
    stored.failure = new Error('connection refused');
    clock.advance(500);
    expect(await ask(guard)).to.equal('let in at once');
    clock.advance(1);
    for (let n = 0; n < 10; n += 1) expect(await ask(guard)).to.equal('unavailable');
    const refusal = await Promise.resolve(
      guard.authenticate(requestWith(`Bearer ${key.secret}`), 'test'),
    )
      .then(() => undefined)
      .catch((error: unknown) => error);
    expect(refusal).to.include({ code: 'unavailable', retryAfterSeconds: 1 });
    expect(logger.lines.map(({ level }) => level)).to.deep.equal(['warn']);
    stored.failure = undefined;
    expect(await ask(guard)).to.equal('let in');
  });

  it('answers 503 while its database is a standby, whatever it returns', async () => {
    const { guard, stored, clock } = setUp();
    await warmUp(guard);
    stored.inRecovery = true;
    clock.advance(251);
    await ask(guard);
    await settle();
    expect(await ask(guard)).to.equal('unavailable');
    stored.inRecovery = false;
    await ask(guard);
    await settle();
    expect(await ask(guard)).to.equal('let in at once');
  });

  it('answers 503 when the look-up takes over 250 ms, and when a look-up never ends', async () => {
    const { stored, clock } = setUp();
    let answer: () => void = () => undefined;
    const slow = createGuard({
      clock,
      logger: keptLog(),
      credentials: {
        syncEpoch: (seen) => stored.syncEpoch(seen),
        findTokenByHash: () => stored.findTokenByHash(),
        findByHash: () =>
          new Promise((resolve) => {
            answer = () => resolve({ credential: key.credential, inRecovery: false });
          }),
      },
    });
    const asked = ask(slow);
    clock.advance(251);
    answer();
    expect(await asked).to.equal('unavailable');
    expect(await ask(slow), 'by the real timer').to.equal('unavailable');
  });

  it('answers 503 after it was closed', async () => {
    const { guard } = setUp();
    await warmUp(guard);
    guard.close();
    expect(await ask(guard)).to.equal('unavailable at once');
  });

  it('forgets everything and reports an error when the history of changes was replaced', async () => {
    const { guard, stored, clock, logger } = setUp();
    stored.commit(key.credential);
    await warmUp(guard);
    stored.history.pop();
    stored.history.push({ gen: 1n, mark: 'another', subjects: [] });
    stored.rows.clear();
    clock.advance(251);
    await ask(guard);
    await settle();
    expect(await ask(guard)).to.equal('api_key_invalid');
    expect(logger.lines.map(({ level }) => level)).to.deep.equal(['error']);
  });

  it('forgets everything, and stays calm, when the log was purged in the meantime', async () => {
    const { guard, stored, clock, logger } = setUp();
    await warmUp(guard);
    stored.revoke(key.credential);
    stored.commit(storedKey('secret', 'test').credential);
    stored.history.splice(0, 2);
    clock.advance(251);
    await ask(guard);
    await settle();
    expect(await ask(guard)).to.equal('api_key_revoked');
    expect(logger.lines).to.deep.equal([]);
  });

  it('refuses a key that was made to expire at once, also where the clock is behind', async () => {
    const { guard, stored, clock } = setUp();
    await warmUp(guard);
    const endedAt = new Date(clock.now().getTime() + 3_600_000);
    stored.commit({
      ...key.credential,
      key: { ...key.credential.key, expiresAt: endedAt, endedAt },
    });
    guard.refreshSoon();
    await settle();
    expect(await ask(guard)).to.equal('api_key_expired');
  });

  it('lets a new key in at once, although a request guessed it before', async () => {
    const { guard, stored, clock } = setUp();
    await warmUp(guard);
    const later = storedKey('secret', 'test');
    expect(await ask(guard, later.secret)).to.equal('api_key_invalid');
    stored.commit(later.credential);
    clock.advance(251);
    await ask(guard);
    await settle();
    expect(await ask(guard, later.secret)).to.equal('let in');
  });
});

describe('an early refresh', () => {
  it('makes the guard ask at once, and no decision', async () => {
    const { guard, stored } = setUp();
    await warmUp(guard);
    stored.revoke(key.credential);
    guard.refreshSoon();
    expect(await ask(guard)).to.equal('let in at once');
    await settle();
    expect(await ask(guard)).to.equal('api_key_revoked');
  });

  it('that comes while the guard asks makes it ask once more', async () => {
    const { stored, clock } = setUp();
    const answers: (() => void)[] = [];
    const guard = createGuard({
      clock,
      logger: keptLog(),
      credentials: {
        findByHash: (hash) => stored.findByHash(hash),
        findTokenByHash: () => stored.findTokenByHash(),
        async syncEpoch(seen) {
          const found = await stored.syncEpoch(seen);
          await new Promise<void>((resolve) => answers.push(resolve));
          return found;
        },
      },
    });
    const answer = async (): Promise<void> => {
      await eventually(() => answers.length > 0);
      answers.shift()?.();
      await settle();
    };
    await ask(guard);
    await answer();
    await ask(guard);
    guard.refreshSoon();
    await eventually(() => answers.length > 0);
    // This snapshot was taken; the change comes too late for it.
    stored.revoke(key.credential);
    guard.refreshSoon();
    await answer();
    expect(await ask(guard)).to.equal('let in at once');
    await answer();
    expect(await ask(guard)).to.equal('api_key_revoked');
  });

  it('costs two questions when a thousand come at once, and one in 5 ms when they go on', async () => {
    const { guard, stored } = setUp();
    await warmUp(guard);
    const { syncs } = stored.asked;
    for (let n = 0; n < 1000; n += 1) guard.refreshSoon();
    await eventually(() => stored.asked.syncs > syncs);
    for (let n = 0; n < 1000; n += 1) guard.refreshSoon();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(stored.asked.syncs).to.equal(syncs + 2);
    const startedMs = performance.now();
    while (performance.now() - startedMs < 100) {
      guard.refreshSoon();
      await settle();
    }
    const tookMs = performance.now() - startedMs;
    expect(stored.asked.syncs - syncs - 2).to.be.within(2, 1 + tookMs / 5);
  });

  it('asks nothing when the lease has lapsed, and nothing after the end', async () => {
    const { guard, stored, clock } = setUp();
    guard.refreshSoon();
    await settle();
    expect(stored.asked.syncs).to.equal(0);
    await warmUp(guard);
    const { syncs } = stored.asked;
    clock.advance(501);
    guard.refreshSoon();
    await settle();
    expect(stored.asked.syncs).to.equal(syncs);
    guard.close();
    guard.refreshSoon();
    await settle();
    expect(stored.asked.syncs).to.equal(syncs);
  });
});

describe('KeyCache', () => {
  it('drops the oldest key that was not used, and guesses apart from keys', () => {
    const cache = new KeyCache({ maxKnown: 2, maxUnknown: 2 });
    const keys = ['a', 'b', 'c'].map(() => new KnownKey(storedKey('secret', 'test').credential));
    cache.fill('a', keys[0], cache.applied);
    cache.fill('b', keys[1], cache.applied);
    expect(cache.find('a')).to.equal(keys[0]);
    cache.fill('c', keys[2], cache.applied);
    for (const guess of ['x', 'y', 'z']) cache.fill(guess, undefined, cache.applied);
    const found = ['a', 'b', 'c', 'x', 'y', 'z'].map((hash) => cache.find(hash));
    expect(found).to.deep.equal([keys[0], undefined, keys[2], undefined, 'unknown', 'unknown']);
    expect(cache.size).to.equal(4);
  });

  it('keeps nothing of a key that was dropped', () => {
    const cache = new KeyCache({ maxKnown: 1 });
    const first = new KnownKey(storedKey('secret', 'test').credential);
    const second = new KnownKey(storedKey('secret', 'test').credential);
    cache.fill('a', first, cache.applied);
    cache.fill('b', second, cache.applied);
    cache.evict([first.accountId]);
    expect(cache.find('b')).to.equal(second);
    cache.evict([second.id]);
    expect(cache.size).to.equal(0);
  });

  it('forgets one key of an account, and then all that are left', () => {
    const cache = new KeyCache();
    const first = storedKey('secret', 'test').credential;
    const { accountId } = first.key;
    const keys = [
      new KnownKey(first),
      ...[1, 2].map(() => new KnownKey(storedKey('secret', 'test', { accountId }).credential)),
    ];
    const other = new KnownKey(storedKey('secret', 'test').credential);
    for (const [index, known] of [...keys, other].entries()) {
      cache.fill(String(index), known, cache.applied);
    }
    cache.evict([keys[1]?.id ?? '']);
    expect(['0', '1', '2', '3'].map((hash) => toId(cache.find(hash)))).to.deep.equal([
      keys[0]?.id,
      undefined,
      keys[2]?.id,
      other.id,
    ]);
    cache.evict([accountId]);
    expect(cache.size).to.equal(1);
    cache.evict([other.accountId]);
    expect(cache.size).to.equal(0);
  });

  it('shares the scopes of all keys that have the same', () => {
    const scopes = ['charges:read', 'charges:write'] as const;
    const [one, other] = [[...scopes], [...scopes].reverse()].map(
      (listed) => new KnownKey(storedKey('restricted', 'test', { scopes: listed }).credential),
    );
    expect(one?.scopes).to.equal(other?.scopes);
    expect(one?.scopes).to.deep.equal(new Set(scopes));
  });
});

describe('compareHistory', () => {
  const change = (gen: bigint, mark = `m${gen}`) => ({ gen, mark, subjects: [] });
  const at = (gen: bigint, mark = `m${gen}`, ...changes: ReturnType<typeof change>[]) => ({
    current: { gen, mark },
    inRecovery: false,
    changes,
  });

  for (const [title, last, found, verdict] of [
    ['nothing seen before', undefined, at(5n), 'started'],
    ['nothing new', change(5n), at(5n, 'm5', change(5n)), 'continued'],
    ['nothing new, and an empty log', change(0n), at(0n), 'continued'],
    [
      'two newer changes',
      change(5n),
      at(7n, 'm7', change(5n), change(6n), change(7n)),
      'continued',
    ],
    ['a log that begins later', change(5n), at(7n, 'm7', change(7n)), 'purged'],
    ['an empty log', change(5n), at(7n), 'purged'],
    ['a log with a hole', change(5n), at(7n, 'm7', change(5n), change(7n)), 'purged'],
    ['a lower number', change(5n), at(4n), 'forked'],
    ['the same number under another mark', change(5n), at(5n, 'other'), 'forked'],
    [
      'another mark below newer changes',
      change(5n),
      at(6n, 'm6', change(5n, 'x'), change(6n)),
      'forked',
    ],
  ] as const) {
    it(`answers ${verdict} to ${title}`, () => {
      expect(compareHistory(last, found)).to.equal(verdict);
    });
  }
});

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function toId(found: ReturnType<KeyCache['find']>): string | undefined {
  if (found === undefined || found === 'unknown') return found;
  return found instanceof KnownKey ? found.id : found.tokenId;
}
