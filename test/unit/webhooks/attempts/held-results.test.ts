import { expect } from 'chai';
import type { EndedAttempt } from '../../../../packages/webhooks/src/attempts/attempt.ts';
import { HeldResults } from '../../../../packages/webhooks/src/attempts/held-results.ts';
import { fakeClock } from '../../../support/clock.ts';

describe('Results that wait for locks of several endpoints', () => {
  it('are tried in turn, also if one endpoint has as many as are tried at once', () => {
    const ignore = (): void => undefined;
    const held = new HeldResults({
      deliveries: { renewLeases: async () => undefined, findLockHolders: async () => [] },
      clock: fakeClock('2026-11-27T10:00:00.000Z'),
      logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    });
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) {
      const delivery = { id: name, leaseToken: name, endpointId: name.slice(0, 1) };
      held.add({ delivery } as unknown as EndedAttempt);
    }
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
