import { createGuard } from '@paymount/auth';
import { expect } from 'chai';
import { fakeClock } from '../../support/clock.ts';
import { checkCharacters } from './check-characters.ts';
import { KeyShelf, keptLog, requestWith, shelvedKey } from './key-shelf.ts';

const GUESSES = 250;
const SAMPLES = 40_000;

/** A guess whose first 30 random characters are those of a key; copied, as if off the wire. */
function guessLike(key: { readonly secret: string }): string {
  let text = key.secret.slice(0, 40);
  while (text.length < 42) text += Math.floor(Math.random() * 36).toString(36);
  return Buffer.from(`Bearer ${text}${checkCharacters(text)}`).toString();
}

/** Welch's t of two samples, without the slowest tenth, which measures the machine. */
function welch(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [one, other].map((times) => {
    const kept = times.toSorted((x, y) => x - y).slice(0, Math.floor(times.length * 0.9));
    const mean = kept.reduce((sum, time) => sum + time, 0) / kept.length;
    const variance = kept.reduce((sum, time) => sum + (time - mean) ** 2, 0) / (kept.length - 1);
    return { mean, error: variance / kept.length };
  });
  if (a === undefined || b === undefined) return Number.NaN;
  return (a.mean - b.mean) / Math.sqrt(a.error + b.error);
}

describe('the time that the guard takes', () => {
  it('tells nothing about how much of a guess is right', async function () {
    // A busy machine may lift t beyond the bound by chance; a leak does it every time.
    this.retries(3);
    this.timeout(60_000);
    const real = shelvedKey('secret', 'test');
    // Made like the real one, and known to nobody.
    const decoy = shelvedKey('secret', 'test');
    const guard = createGuard({
      credentials: new KeyShelf(real),
      clock: fakeClock('2026-05-01T12:00:00Z'),
      logger: keptLog(),
    });
    const requests = Array.from({ length: 2 * GUESSES }, (_, index) => {
      const kind = index % 2 === 0 ? 'near' : 'far';
      return { kind, request: requestWith(guessLike(kind === 'near' ? real : decoy)) };
    });
    const refuse = async (request: ReturnType<typeof requestWith>): Promise<void> => {
      await Promise.resolve()
        .then(() => guard.authenticate(request, 'test'))
        .catch(() => undefined);
    };
    // The real key is in the cache, as it would be when somebody guesses.
    for (const _ of ['cold', 'cached']) await refuse(requestWith(`Bearer ${real.secret}`));
    for (const { request } of requests) await refuse(request);

    const times: Record<string, number[]> = { near: [], far: [] };
    for (let n = 0; n < 2 * SAMPLES; n += 1) {
      const sample = requests[Math.floor(Math.random() * requests.length)];
      if (sample === undefined) continue;
      const start = process.hrtime.bigint();
      try {
        void guard.authenticate(sample.request, 'test');
      } catch {
        times[sample.kind]?.push(Number(process.hrtime.bigint() - start));
      }
    }
    const { near = [], far = [] } = times;
    expect(Math.min(near.length, far.length)).to.be.above(SAMPLES * 0.9);
    expect(Math.abs(welch(near, far))).to.be.below(4.5);
  });
});
