import { createGuard } from '@paymount/auth';
import { expect } from 'chai';
import { checkCharacters } from '../../support/check-characters.ts';
import { fakeClock } from '../../support/clock.ts';
import { keptLog } from '../../support/kept-log.ts';
import {
  requestWith,
  type StoredKey,
  StoredKeys,
  storedKey,
} from '../../support/memory-credentials.ts';
import { seeded } from '../../support/timing.ts';

/** All of them are remembered as unknown, of which a process keeps 10,000. */
const GUESSES = 8_000;
const SAMPLES = 400_000;
/** By chance once in 150,000 runs. */
const BOUND = 4.5;

/** A guess, and whether it begins like the key that exists. */
interface Guess {
  readonly isNear: boolean;
  readonly header: string;
  readonly request: ReturnType<typeof requestWith>;
  readonly times: number[];
}

describe('the time that the guard takes', () => {
  const random = seeded(20_261_121);
  const { stackTraceLimit } = Error;
  const real = storedKey('secret', 'test');
  // Made like the real one, and known to nobody.
  const decoy = storedKey('secret', 'test');
  const guard = createGuard({
    credentials: new StoredKeys(real),
    clock: fakeClock('2026-05-01T12:00:00Z'),
    logger: keptLog(),
  });

  before(async () => {
    // Taking the stack costs more than all that is measured.
    Error.stackTraceLimit = 0;
    // The real key is in the cache, as it would be when somebody guesses.
    for (const _ of ['cold', 'cached']) await answered(requestWith(`Bearer ${real.secret}`));
  });
  after(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });

  /** A guess whose first 28 random characters are those of a key; copied, as if off the wire. */
  function guessLike({ secret }: StoredKey): string {
    let text = secret.slice(0, 38);
    while (text.length < 42) text += Math.floor(random() * 36).toString(36);
    return Buffer.from(`Bearer ${text}${checkCharacters(text)}`).toString();
  }

  /** By lot, as what is made in turns lies in memory in turns. */
  function makeGuesses(count: number): readonly Guess[] {
    return Array.from({ length: count }, () => {
      const isNear = random() < 0.5;
      const header = guessLike(isNear ? real : decoy);
      return { isNear, header, request: requestWith(header), times: [] };
    });
  }

  async function answered(request: Guess['request']): Promise<unknown> {
    return Promise.resolve()
      .then(() => guard.authenticate(request, 'test'))
      .catch((error: unknown) => error);
  }

  function measure(guesses: readonly Guess[], samples: number, check: (guess: Guess) => void) {
    for (let sample = 0; sample < samples; sample += 1) {
      const guess = guesses[Math.floor(random() * guesses.length)];
      if (guess === undefined) throw new Error('There are guesses.');
      let wasRefused = false;
      const start = process.hrtime.bigint();
      try {
        check(guess);
      } catch {
        wasRefused = true;
      }
      guess.times.push(Number(process.hrtime.bigint() - start));
      if (!wasRefused) throw new Error('A guess was let in, or asked the database.');
    }
  }

  it('tells nothing about how much of a guess is right', async function () {
    this.timeout(60_000);
    const guesses = makeGuesses(GUESSES);
    for (const { request } of guesses) await answered(request);
    measure(guesses, SAMPLES, ({ request }) => void guard.authenticate(request, 'test'));
    expect(Math.abs(welch(guesses))).to.be.below(BOUND);
  });

  it('would detect a search among ten keys that stops at the first difference', async function () {
    this.timeout(60_000);
    const guesses = makeGuesses(GUESSES / 4);
    for (const { request } of guesses) await answered(request);
    const keys = Array.from({ length: 10 }, () => `Bearer ${real.secret}`);
    measure(guesses, SAMPLES / 10, ({ header, request }) => {
      for (const key of keys) if (isSame(header, key)) throw new Error('The key itself.');
      void guard.authenticate(request, 'test');
    });
    expect(welch(guesses)).to.be.above(2 * BOUND);
  });
});

function isSame(one: string, other: string): boolean {
  for (let at = 0; at < one.length; at += 1) {
    if (one.charCodeAt(at) !== other.charCodeAt(at)) return false;
  }
  return one.length === other.length;
}

/**
 * Welch's t of near against far guesses. Each guess counts once, with the median of its times: it
 * has a place in memory that makes it a little slow or fast whatever it says, and a median leaves
 * out what measures the machine.
 */
function welch(guesses: readonly Guess[]): number {
  const [near, far] = [true, false].map((isNear) => {
    const medians = guesses
      .filter((guess) => guess.isNear === isNear && guess.times.length > 0)
      .map(({ times }) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0);
    const mean = medians.reduce((sum, time) => sum + time, 0) / medians.length;
    const squares = medians.reduce((sum, time) => sum + (time - mean) ** 2, 0);
    return { mean, error: squares / (medians.length - 1) / medians.length };
  });
  if (near === undefined || far === undefined) return Number.NaN;
  return (near.mean - far.mean) / Math.sqrt(near.error + far.error);
}
