import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ExpiringMap } from '@paymount/core/kernel';
import { expect } from 'chai';
import { fakeClock } from '../../../../support/clock.ts';
import { eventually } from '../../../../support/eventually.ts';

describe('ExpiringMap', () => {
  it('gives a value until its life ends, counted from when it was asked for', () => {
    const clock = fakeClock('2026-11-01T00:00:00Z');
    const map = new ExpiringMap<string, number>({ clock, lifeMs: 60_000, max: 10 });
    clock.advance(5_000);
    map.set('a', 1, 0);
    clock.advance(54_999);
    expect(map.get('a')).to.equal(1);
    clock.advance(1);
    expect(map.get('a')).to.equal(undefined);
  });

  it('makes room for the newest by dropping what was kept first', () => {
    const clock = fakeClock('2026-11-01T00:00:00Z');
    const map = new ExpiringMap<string, number>({ clock, lifeMs: 60_000, max: 2 });
    for (const [index, key] of ['a', 'b', 'a', 'c'].entries()) map.set(key, index, 0);
    expect(['a', 'b', 'c'].map((key) => map.get(key))).to.deep.equal([2, undefined, 3]);
  });

  it('forgets entries that are not read again', async () => {
    const map = new ExpiringMap<number, object>({ clock: fakeClock(), lifeMs: 20, max: 10 });
    const held = keepAnObject(map, performance.now());
    await eventually(() => isGone(held));
    map.set(1, {}, performance.now());
  });

  it('looks at no more values than have ended, however many are kept', async () => {
    let looks = 0;
    const monotonicMs = (): number => {
      looks += 1;
      return performance.now();
    };
    const map = new ExpiringMap<number, object>({
      clock: { monotonicMs },
      lifeMs: 60_000,
      max: 10_000,
    });
    const nowMs = performance.now();
    const held = keepAnObject(map, nowMs - 59_990);
    for (let key = 1; key < 10_000; key += 1) map.set(key, {}, nowMs);
    looks = 0;
    await eventually(() => isGone(held));
    // The one that ended, the next, which lives, and when that will end; two more when it rang early.
    expect(looks).to.be.within(3, 9);
  });
});

/** In a frame of its own, so that nothing but the map holds the object. */
function keepAnObject(map: ExpiringMap<number, object>, sinceMs: number): WeakRef<object> {
  const value = { secret: true };
  map.set(0, value, sinceMs);
  return new WeakRef(value);
}

function isGone(held: WeakRef<object>): boolean {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return held.deref() === undefined;
}
