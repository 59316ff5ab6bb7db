import { createGuard } from '@paymount/auth';
import {
  type AuthEpoch,
  type AuthSync,
  type Clock,
  type Credential,
  type CredentialReader,
  type LookUp,
  PaymountError,
} from '@paymount/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { keptLog, requestWith, shelvedKey } from './key-shelf.ts';

/** The bound of the proof: a decision rests on what was true at most this long before it. */
const BOUND_MS = 500;

type Row = AuthEpoch & { readonly subjects: readonly string[] };
const FIRST: Row = { gen: 0n, mark: 'mark-0', subjects: [] };

interface Query {
  /** Set once the database has taken the snapshot from which it will answer. */
  answer?: () => void;
  execute(): () => void;
  fail(): void;
}

/** A database whose every question is sent, executed and answered when the test says so. */
class SteppedDatabase implements CredentialReader {
  readonly queries: Query[] = [];
  /** The pool reaches a standby that lags one commit behind. */
  standby = false;
  #rows: Map<string, Credential>;
  #history: Row[] = [FIRST];
  #purgedBelow = 0n;
  #marks = 0;
  #seen: AuthEpoch | undefined;
  readonly #backups: { rows: Map<string, Credential>; history: Row[] }[] = [];

  constructor(credentials: readonly Credential[]) {
    this.#rows = new Map(credentials.map((credential) => [hex(credential.key.hash), credential]));
    this.#backUp();
  }

  findByHash(hash: Uint8Array): Promise<LookUp> {
    return this.#ask(() => {
      const rows = this.standby ? (this.#backups.at(-2)?.rows ?? this.#rows) : this.#rows;
      return { credential: rows.get(hex(hash)), inRecovery: this.standby };
    });
  }

  syncEpoch(seen: AuthEpoch | undefined): Promise<AuthSync> {
    this.#seen = seen;
    return this.#ask(() => {
      const history = this.standby
        ? (this.#backups.at(-2)?.history ?? this.#history)
        : this.#history;
      const { gen, mark } = history.at(-1) ?? FIRST;
      const kept = history.filter((change) => change.gen >= this.#purgedBelow);
      const changes = seen === undefined ? [] : kept.filter((change) => change.gen >= seen.gen);
      return { current: { gen, mark }, inRecovery: this.standby, changes };
    });
  }

  isActive(credential: Credential): boolean {
    const row = this.#rows.get(hex(credential.key.hash));
    return row?.key.status === 'active' && row.accountStatus === 'active';
  }

  commit(credential: Credential, accountStatus: Credential['accountStatus']): void {
    this.#rows = new Map(this.#rows).set(hex(credential.key.hash), {
      ...credential,
      accountStatus,
    });
    this.#marks += 1;
    const subjects = [credential.key.accountId];
    const change = { gen: this.#newest().gen + 1n, mark: `mark-${this.#marks}`, subjects };
    this.#history = [...this.#history, change];
    this.#backUp();
  }

  purge(): void {
    this.#purgedBelow = this.#newest().gen;
  }

  /**
   * A standby takes over that lacks the latest commits.
   * @returns the subjects of lost commits that no sync had shown to the guard: what a look-up
   *   cached of them cannot be told apart (hosts that fail over need
   *   synchronous replication)
   */
  failOver(lostCommits: number): Set<string> {
    const keep = Math.max(1, this.#backups.length - lostCommits);
    const known = this.#history.findIndex(({ mark }) => mark === this.#seen?.mark);
    const unseen = this.#history.slice(known + 1);
    this.#backups.length = keep;
    const backup = this.#backups[keep - 1];
    if (backup !== undefined) {
      this.#rows = backup.rows;
      this.#history = backup.history;
      // The newest row is always kept.
      if (this.#newest().gen < this.#purgedBelow) this.purge();
    }
    const lost = unseen.filter((change) => !this.#history.includes(change));
    return new Set(lost.flatMap(({ subjects }) => subjects));
  }

  /** Executes the query if it was not, else answers it. */
  step(index: number): void {
    const query = this.queries[index % this.queries.length];
    if (query === undefined) return;
    if (query.answer === undefined) {
      query.answer = query.execute();
      return;
    }
    this.queries.splice(this.queries.indexOf(query), 1);
    query.answer();
  }

  fail(index: number): void {
    const [query] = this.queries.splice(index % Math.max(1, this.queries.length), 1);
    query?.fail();
  }

  #ask<Answer>(read: () => Answer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.queries.push({
        execute: () => {
          try {
            const answer = read();
            return () => resolve(answer);
          } catch (error) {
            return () => reject(error);
          }
        },
        fail: () => reject(new Error('connection lost')),
      });
    });
  }

  #newest(): Row {
    return this.#history.at(-1) ?? FIRST;
  }

  #backUp(): void {
    this.#backups.push({ rows: this.#rows, history: this.#history });
  }
}

type Step =
  | { readonly do: 'request' | 'switch'; readonly key: number }
  | { readonly do: 'step' | 'fail'; readonly query: number }
  | { readonly do: 'advance'; readonly ms: number }
  /** The wall clock is set; or the machine sleeps, which the monotonic clock does not count. */
  | { readonly do: 'stepWall' | 'sleep'; readonly ms: number }
  | { readonly do: 'failOver'; readonly lost: number }
  | { readonly do: 'answerAll' | 'purge' | 'recovery' };

const key = fc.nat({ max: 1 });
const query = fc.nat({ max: 5 });
const common: fc.WeightedArbitrary<Step>[] = [
  { weight: 8, arbitrary: fc.record({ do: fc.constant('request' as const), key }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('switch' as const), key }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('step' as const), query }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('answerAll' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), query }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      ms: fc.oneof(fc.nat({ max: 300 }), fc.constantFrom(1, 250, 251, 499, 500, 501)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('failOver' as const), lost: fc.nat(3) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('purge' as const, 'recovery' as const) }),
  },
];
const wallSteps: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('stepWall' as const),
  ms: fc.constantFrom(-3_600_000, -200, 200, 3_600_000),
});
const sleeps: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('sleep' as const),
  ms: fc.constantFrom(100, 400, 501, 60_000),
});
// Not both in one run: a clock set back by as much as the machine slept hides the sleep.
const anySteps = fc.oneof(
  fc.array(fc.oneof(...common, { weight: 2, arbitrary: wallSteps }), {
    minLength: 40,
    maxLength: 120,
  }),
  fc.array(fc.oneof(...common, { weight: 2, arbitrary: sleeps }), {
    minLength: 40,
    maxLength: 120,
  }),
);

/** What was decided, and whether the key was in that state within the bound before. */
interface Decision {
  readonly at: number;
  readonly decided: 'accepted' | 'refused';
  readonly lastTrueAt: number;
}

async function simulate(
  steps: readonly Step[],
): Promise<{ decisions: Decision[]; refusals: number }> {
  const keys = [shelvedKey('secret', 'test'), shelvedKey('secret', 'test')] as const;
  const database = new SteppedDatabase(keys.map(({ credential }) => credential));
  let realMs = 0;
  let monotonicMs = 0;
  let wallMs = Date.parse('2026-05-01T12:00:00Z');
  const clock: Clock = {
    now: () => new Date(wallMs),
    monotonicMs: () => monotonicMs,
    shiftMs: 0,
  };
  const guard = createGuard({ credentials: database, clock, logger: keptLog() });

  // When each key was last active, and last not; kept up to date before and after every step.
  const lastTrue = keys.map(() => ({ accepted: 0, refused: Number.NEGATIVE_INFINITY }));
  const lost = new Set<string>();
  const observe = (): void => {
    for (const [index, { credential }] of keys.entries()) {
      const times = lastTrue[index];
      if (times && lost.has(credential.key.accountId)) times.accepted = times.refused = realMs;
      if (times) times[database.isActive(credential) ? 'accepted' : 'refused'] = realMs;
    }
  };

  const decisions: Decision[] = [];
  let unavailable = 0;
  const decide = (index: number, decided: 'accepted' | 'refused'): void => {
    const lastTrueAt = lastTrue[index]?.[decided] ?? Number.NaN;
    decisions.push({ at: realMs, decided, lastTrueAt });
  };
  const refuse = (index: number, error: unknown): void => {
    if (PaymountError.is(error) && error.code === 'unavailable') unavailable += 1;
    else if (PaymountError.is(error) && error.code === 'account_disabled') decide(index, 'refused');
    else throw error;
  };
  const request = (index: number): void => {
    const secret = keys[index]?.secret ?? '';
    try {
      const principal = guard.authenticate(requestWith(`Bearer ${secret}`), 'test');
      if (!(principal instanceof Promise)) decide(index, 'accepted');
      else principal.then(() => decide(index, 'accepted')).catch((error) => refuse(index, error));
    } catch (error) {
      refuse(index, error);
    }
  };

  const run = (step: Step): void => {
    switch (step.do) {
      case 'request':
        request(step.key);
        break;
      case 'switch': {
        const credential = keys[step.key]?.credential;
        if (!credential) break;
        lost.delete(credential.key.accountId);
        database.commit(credential, database.isActive(credential) ? 'suspended' : 'active');
        break;
      }
      case 'step':
        database.step(step.query);
        break;
      case 'answerAll':
        for (let left = 2 * database.queries.length; left > 0; left -= 1) database.step(0);
        break;
      case 'fail':
        database.fail(step.query);
        break;
      case 'advance':
        realMs += step.ms;
        monotonicMs += step.ms;
        wallMs += step.ms;
        break;
      case 'stepWall':
        wallMs += step.ms;
        break;
      case 'sleep':
        realMs += step.ms;
        wallMs += step.ms;
        break;
      case 'failOver':
        for (const subject of database.failOver(step.lost)) lost.add(subject);
        break;
      case 'purge':
        database.purge();
        break;
      case 'recovery':
        database.standby = !database.standby;
    }
  };

  for (const step of steps) {
    run(step);
    observe();
    await settle();
  }
  while (database.queries.length > 0) {
    database.fail(0);
    await settle();
  }
  return { decisions, refusals: unavailable };
}

/** Lets every promise that can go on go on. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

describe('revocation, under any interleaving', () => {
  it('decides on nothing that was over 500 ms before, either way', async function () {
    this.timeout(60_000);
    let decided = 0;
    await fc.assert(
      fc.asyncProperty(anySteps, async (steps) => {
        const { decisions } = await simulate(steps);
        decided += decisions.length;
        for (const { at, lastTrueAt, decided } of decisions) {
          expect(at - lastTrueAt, `${decided} at ${at}`).to.be.at.most(BOUND_MS);
        }
      }),
      { numRuns: 4000 },
    );
    // A guard that refuses everything would pass too.
    expect(decided).to.be.above(20_000);
  });
});
