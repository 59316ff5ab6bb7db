import { EventEmitter, once } from 'node:events';
import { createGuard, createLimits, type Guard } from '@paymount/auth';
import { mintKey } from '@paymount/core/access';
import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import { fakeClock } from '../../support/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { keptLog } from '../../support/kept-log.ts';
import {
  requestWith,
  type StoredKey,
  StoredKeys,
  storedKey,
} from '../../support/memory-credentials.ts';

/** What one address may get wrong before it is refused. */
const ALLOWED = 20;

function setUp(...keys: readonly StoredKey[]) {
  const clock = fakeClock('2026-05-01T12:00:00Z');
  const stored = new StoredKeys(...keys);
  const logger = keptLog();
  const limits = createLimits({}, { clock, logger });
  const guard = createGuard({ credentials: stored, clock, logger, limits });
  return { clock, stored, guard };
}

/** `let in`, or the code of the refusal. */
async function ask(guard: Guard, secret: string, address?: string): Promise<string> {
  try {
    const request = requestWith(`Bearer ${secret}`);
    await guard.authenticate(address === undefined ? request : { ...request, address }, 'test');
    return 'let in';
  } catch (error) {
    return PaymountError.is(error) ? error.code : String(error);
  }
}

function guess(guard: Guard, times: number, address?: string): Promise<readonly string[]> {
  const guesses = Array.from({ length: times }, () => mintKey('secret', 'test'));
  return Promise.all(guesses.map((secret) => ask(guard, secret, address)));
}

function counted(answers: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1;
  return counts;
}

describe('concurrent credentials from one address', () => {
  it('are looked up no more often than one after another, when they are guesses', async () => {
    const { guard, stored, clock } = setUp();
    const answers = await guess(guard, 900);
    expect(counted(answers)).to.deep.equal({ api_key_invalid: ALLOWED, rate_limit: 880 });
    expect(stored.asked.lookUps).to.equal(ALLOWED);
    clock.advance(3_000);
    expect(counted(await guess(guard, 900))).to.deep.equal({ api_key_invalid: 1, rate_limit: 899 });
    expect(stored.asked.lookUps).to.equal(ALLOWED + 1);
  });

  it('are all accepted when they are valid, also by a process that has cached none of them', async () => {
    const keys = Array.from({ length: 200 }, () => storedKey('secret', 'test'));
    const { guard } = setUp(...keys);
    const answers = await Promise.all(keys.map(({ secret }) => ask(guard, secret)));
    expect(counted(answers)).to.deep.equal({ 'let in': 200 });
    // Nothing of it counts: what may be got wrong is there as before.
    expect(counted(await guess(guard, 30))).to.deep.equal({ api_key_invalid: 20, rate_limit: 10 });
  });

  it('count for nothing when the database does not answer', async () => {
    const { guard, stored } = setUp();
    stored.failure = new Error('The database is away.');
    expect(counted(await guess(guard, 100))).to.deep.equal({ unavailable: 100 });
    stored.failure = undefined;
    expect(counted(await guess(guard, 30))).to.deep.equal({ api_key_invalid: 20, rate_limit: 10 });
  });

  it('keep no other address waiting', async () => {
    const key = storedKey('secret', 'test');
    const { guard } = setUp(key);
    const guesses = guess(guard, 900);
    expect(await ask(guard, key.secret, '192.0.2.2')).to.equal('let in');
    await guesses;
  });
});

describe('a valid key at an address that guesses', () => {
  it('goes on working when it is the first that a process ever looked up', async () => {
    const [first, second] = [storedKey('secret', 'test'), storedKey('secret', 'test')];
    const { guard } = setUp(first, second);
    expect(await ask(guard, first.secret)).to.equal('let in');
    await guess(guard, ALLOWED);
    expect(await ask(guard, mintKey('secret', 'test'))).to.equal('rate_limit');
    for (let time = 0; time < 3; time += 1) {
      expect(await ask(guard, first.secret)).to.equal('let in');
    }
    // What was never shown is a guess as any other.
    expect(await ask(guard, second.secret)).to.equal('rate_limit');
  });

  it('goes on working when access changed while it was looked up', async () => {
    const key = storedKey('secret', 'test');
    const { guard, stored } = setUp(key);
    await ask(guard, mintKey('secret', 'test'));
    const doors = new EventEmitter();
    const findByHash = stored.findByHash.bind(stored);
    stored.findByHash = async (hash) => {
      const opened = once(doors, 'open');
      const found = await findByHash(hash);
      await opened;
      return found;
    };
    const asked = ask(guard, key.secret);
    const { syncs } = stored.asked;
    stored.commit(storedKey('secret', 'test').credential);
    guard.refreshSoon();
    await eventually(() => stored.asked.syncs > syncs);
    stored.findByHash = findByHash;
    doors.emit('open');
    expect(await asked).to.equal('let in');
    await guess(guard, ALLOWED);
    const { lookUps } = stored.asked;
    expect(await ask(guard, key.secret)).to.equal('let in');
    expect(stored.asked.lookUps).to.equal(lookUps + 1);
  });

  it('goes on working after its account was renamed', async () => {
    const key = storedKey('secret', 'test');
    const { guard, stored } = setUp(key);
    for (const _ of ['cold', 'leased']) expect(await ask(guard, key.secret)).to.equal('let in');
    await guess(guard, ALLOWED);
    stored.commit({ ...key.credential, accountVersion: 2 });
    const { lookUps } = stored.asked;
    guard.refreshSoon();
    await eventually(async () => {
      expect(await ask(guard, key.secret)).to.equal('let in');
      return stored.asked.lookUps > lookUps;
    });
    expect(stored.asked.lookUps).to.equal(lookUps + 1);
    expect(await ask(guard, mintKey('secret', 'test'))).to.equal('rate_limit');
  });

  it('is accepted from an unknown address, until all unknown addresses guessed 1,000 times a minute', async () => {
    const [first, second] = [storedKey('secret', 'test'), storedKey('secret', 'test')];
    const { guard } = setUp(first, second);
    const fromNowhere = async (secret: string): Promise<string> => {
      const request = { ...requestWith(`Bearer ${secret}`), address: undefined };
      const answer = Promise.resolve().then(() => guard.authenticate(request, 'test'));
      return answer.then(
        () => 'let in',
        (error: unknown) => (PaymountError.is(error) ? error.code : String(error)),
      );
    };
    for (let n = 0; n < 100; n += 1) await fromNowhere(mintKey('secret', 'test'));
    expect(await fromNowhere(first.secret)).to.equal('let in');
    for (let n = 0; n < 900; n += 1) await fromNowhere(mintKey('secret', 'test'));
    expect(await fromNowhere(second.secret)).to.equal('rate_limit');
    expect(await ask(guard, second.secret)).to.equal('let in');
  });
});
