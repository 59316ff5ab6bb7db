import type { LockHolder } from '@paymount/core/events';
import { expect } from 'chai';
import type { EndedAttempt } from '../../../../packages/webhooks/src/attempts/attempt.ts';
import { HeldResults } from '../../../../packages/webhooks/src/attempts/held-results.ts';
import { fakeClock } from '../../../support/clock.ts';

const SECOND = 1_000;

/** A result of an attempt; the first letter of its name is that of its endpoint. */
function result(name: string): EndedAttempt {
  const delivery = { id: name, leaseToken: name, endpointId: name.slice(0, 1), accountId: 'acct' };
  return { delivery } as unknown as EndedAttempt;
}

/** Results that wait, with the lines of the log. @param holders the answers of the database, in turn */
function openHeld(holders: (readonly LockHolder[])[] = []) {
  const lines: string[] = [];
  const write = (facts: object, message: string): void => {
    const { locked_by: by } = facts as { readonly locked_by?: string };
    lines.push(by === undefined ? message : by);
  };
  const clock = fakeClock('2026-11-27T10:00:00.000Z');
  const held = new HeldResults({
    deliveries: {
      renewLeases: async () => undefined,
      findLockHolders: async () => holders.shift() ?? [],
    },
    clock,
    logger: { debug: write, info: write, warn: write, error: write },
  });
  /** The results are tried, and still wait. */
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    held.tried(new Set());
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { held, lines, pass };
}

describe('Results that wait for locks of several endpoints', () => {
  it('are tried in turn, also if one endpoint has as many as are tried at once', () => {
    const { held } = openHeld();
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) held.add(result(name));
    const next = (): string => {
      const tried = held.next(2).map(({ delivery }) => delivery.id);
      held.tried(new Set());
      return tried.join(' ');
    };
    expect([next(), next(), next()]).to.deep.equal(['a1 b1', 'c1 a1', 'b1 c1']);
    expect(held.next(5).map(({ delivery }) => delivery.id)).to.deep.equal([
      'a1',
      'b1',
      'c1',
      'a2',
      'b2',
    ]);
  });
});

describe('The session that holds a lock for which results wait', () => {
  const FIRST: readonly LockHolder[] = [{ pid: 1, applicationName: 'shop' }];
  const SECOND_ONE: readonly LockHolder[] = [{ pid: 2, applicationName: 'report' }];
  const pids = ({ held }: ReturnType<typeof openHeld>) =>
    held.locked.flatMap(({ holders }) => holders.map(({ pid }) => pid));

  it('is asked for again every 15 s, and is logged when it changes', async () => {
    const opened = openHeld([FIRST, FIRST, SECOND_ONE]);
    opened.held.add(result('a1'));
    await opened.pass(SECOND - 1);
    expect(opened.lines).to.deep.equal([]);
    await opened.pass(1);
    expect(opened.lines).to.deep.equal(['pid 1 (shop)']);
    for (const wait of [5, 5, 4]) await opened.pass(wait * SECOND);
    expect(pids(opened)).to.deep.equal([1]);
    await opened.pass(SECOND);
    expect(opened.lines).to.deep.equal(['pid 1 (shop)']);
    await opened.pass(15 * SECOND);
    expect(pids(opened)).to.deep.equal([2]);
    expect(opened.lines).to.deep.equal(['pid 1 (shop)', 'pid 2 (report)']);
  });

  it('is not named any more once nobody holds the lock', async () => {
    const opened = openHeld([FIRST, []]);
    opened.held.add(result('a1'));
    await opened.pass(SECOND);
    await opened.pass(15 * SECOND);
    expect([opened.held.locked.length, pids(opened)]).to.deep.equal([1, []]);
    expect(opened.lines).to.deep.equal(['pid 1 (shop)']);
  });
});

describe('Results that are given up while they wait', () => {
  it('are not said to be recorded again', async () => {
    const opened = openHeld();
    const [given, recorded] = [result('a1'), result('b1')];
    opened.held.add(given);
    opened.held.add(recorded);
    await opened.pass(SECOND);
    await opened.pass(SECOND);
    opened.held.tried(new Set([given]), new Set([given]));
    opened.held.tried(new Set([recorded]));
    expect(opened.lines).to.deep.equal([
      'unknown',
      'unknown',
      'Results of an endpoint are recorded again.',
    ]);
  });
});
