import { createGuard } from '@paymount/auth';
import type { Credential } from '@paymount/core/access';
import { type Clock, newId, PaymountError, type Scope } from '@paymount/core/kernel';
import { keptLog } from '../../../support/kept-log.ts';
import { requestWith, type StoredKey, storedKey } from '../../../support/memory-credentials.ts';
import type { Step } from './step.ts';
import { SteppedDatabase } from './stepped-database.ts';
import { SteppedTimers } from './stepped-timers.ts';

const START_MS = Date.parse('2026-05-01T12:00:00Z');
const WIDE: readonly Scope[] = ['charges:read', 'charges:write'];
const NARROW: readonly Scope[] = ['charges:read'];
/** One key comes to its end by itself. */
const LIFE_MS = 2_000;

/** A look at the committed rows. */
interface LastLook {
  readonly ms: number;
  /** Looks are counted, as many things happen in one millisecond. */
  readonly look: number;
}

const NEVER: LastLook = { ms: Number.NEGATIVE_INFINITY, look: -1 };

/** What the guard said to one request. */
export interface Decision {
  /** Real milliseconds, which none of the process's clocks need show. */
  readonly atMs: number;
  /** The scopes of whoever was let in, or the code of the refusal. */
  readonly verdict: string;
  readonly way: 'cached' | 'looked up' | 'asked again';
  /** When the row that means this verdict now was last the committed one; -Infinity: never. */
  readonly lastTrueMs: number;
  /** Whether it was at any time since the guard was asked. */
  readonly wasTrueSince: boolean;
}

/** What a run showed. */
export interface Run {
  /** Without those to answer 503. */
  readonly decisions: readonly Decision[];
  /** How often the guard said that history was replaced, and how often it was. */
  readonly alarms: number;
  readonly failovers: number;
}

/** Runs one process through the steps. */
export async function simulate(steps: readonly Step[]): Promise<Run> {
  const world = new World();
  try {
    for (const step of steps) {
      world.run(step);
      world.observe();
      await settle();
    }
    await world.end();
    const failovers = steps.filter((step) => step.do === 'failOver').length;
    return { decisions: world.decisions, alarms: world.alarms(), failovers };
  } finally {
    world.restore();
  }
}

/** One process, its database and its clocks. */
class World {
  readonly decisions: Decision[] = [];
  readonly #accounts = [newId('acct'), newId('acct')] as const;
  readonly #keys: readonly StoredKey[] = this.#newKeys();
  // The last key is created later.
  readonly #database = new SteppedDatabase(
    this.#keys.slice(0, -1).map(({ credential }) => credential),
  );
  readonly #timers = new SteppedTimers();
  #realMs = 0;
  #monotonicMs = 0;
  #wallMs = START_MS;
  readonly #clock: Clock = {
    now: () => new Date(this.#wallMs),
    monotonicMs: () => this.#monotonicMs,
    shiftMs: 0,
  };
  readonly #log = keptLog();
  readonly #guard = createGuard({
    credentials: this.#database,
    clock: this.#clock,
    logger: this.#log,
  });
  /** Of each key, the rows that were committed, and when each last was. */
  readonly #rows = this.#keys.map(() => new Map<Credential | undefined, LastLook>());
  /** Keys of which a failover lost a commit that the guard may have read: anything goes. */
  readonly #lost = new Set<number>();
  readonly #lastLost: LastLook[] = this.#keys.map(() => NEVER);
  #looks = 0;

  constructor() {
    this.observe();
  }

  run(step: Step): void {
    switch (step.do) {
      case 'request':
        for (let times = 0; times < step.times; times += 1) this.#ask(step.key, false);
        return;
      case 'askAgain':
        this.#ask(step.key, true);
        return;
      case 'change':
        this.#change(step.key, step.to);
        return;
      case 'switch':
        this.#switch(step.account);
        return;
      case 'step':
        this.#database.step(step.query);
        return;
      case 'execute':
        this.#database.execute(step.what);
        return;
      case 'answer':
        this.#database.answer(step.what);
        return;
      case 'fail':
        this.#database.fail(step.query);
        return;
      case 'failOver':
        this.#failOver(step.lost);
        return;
      case 'purge':
        this.#database.purge();
        return;
      case 'recovery':
        this.#database.standby = !this.#database.standby;
        return;
      case 'refresh':
        this.#guard.refreshSoon();
        return;
      case 'advance':
      case 'sleep':
      case 'stepWall':
        this.#pass(step.do, step.ms);
    }
  }

  /** Notes what is true now, before anything else happens and after it did. */
  observe(): void {
    this.#looks += 1;
    const look = { ms: this.#realMs, look: this.#looks };
    for (const [index, key] of this.#keys.entries()) {
      this.#rows[index]?.set(this.#database.row(key.credential.key.hash), look);
      if (this.#lost.has(index)) this.#lastLost[index] = look;
    }
  }

  /** Nothing is left waiting. */
  async end(): Promise<void> {
    while (this.#database.queries.length > 0) {
      this.#database.fail(0);
      await settle();
    }
    this.#guard.close();
  }

  alarms(): number {
    return this.#log.lines.filter(({ level }) => level === 'error').length;
  }

  restore(): void {
    this.#timers.restore();
  }

  #newKeys(): readonly StoredKey[] {
    const [first, second] = this.#accounts;
    const expiresAt = new Date(START_MS + LIFE_MS);
    return [
      storedKey('restricted', 'test', { accountId: first, scopes: WIDE }),
      storedKey('secret', 'test', { accountId: first }),
      storedKey('restricted', 'test', { accountId: second, scopes: WIDE, expiresAt }),
      storedKey('secret', 'test', { accountId: second }),
    ];
  }

  #ask(index: number, fresh: boolean): void {
    const lookWhenAsked = this.#looks;
    const request = requestWith(`Bearer ${this.#keys[index]?.secret}`);
    const decide = (way: Decision['way'], verdict: string): void => {
      const now = this.#clock.now();
      const meant = [...(this.#rows[index] ?? [])].filter(
        ([row]) => describeRow(row, now) === verdict,
      );
      const last = [this.#lastLost[index] ?? NEVER, ...meant.map(([, look]) => look)];
      this.decisions.push({
        atMs: this.#realMs,
        verdict,
        way,
        lastTrueMs: Math.max(...last.map(({ ms }) => ms)),
        wasTrueSince: last.some(({ look }) => look >= lookWhenAsked),
      });
    };
    const refuse = (way: Decision['way'], error: unknown): void => {
      if (!PaymountError.is(error)) throw error;
      if (error.code !== 'unavailable') decide(way, error.code);
    };
    const atOnce = fresh ? 'asked again' : 'cached';
    try {
      const admitted = this.#guard.authenticate(request, 'test', fresh ? { fresh } : {});
      const way = fresh ? 'asked again' : 'looked up';
      if (!(admitted instanceof Promise)) decide(atOnce, describeScopes(admitted.scopes));
      else {
        admitted
          .then(({ scopes }) => decide(way, describeScopes(scopes)))
          .catch((error: unknown) => refuse(way, error));
      }
    } catch (error) {
      refuse(atOnce, error);
    }
  }

  #change(index: number, to: Extract<Step, { do: 'change' }>['to']): void {
    const stored = this.#keys[index]?.credential;
    const row = stored && this.#database.row(stored.key.hash);
    if (stored === undefined || (row === undefined) !== (to === 'created')) return;
    const { key } = row ?? stored;
    if (key.status === 'revoked' || key.endedAt !== undefined) return;
    const now = this.#clock.now();
    const edit = {
      revoked: { status: 'revoked' },
      ended: { expiresAt: now, endedAt: now },
      cut: key.type === 'restricted' ? { scopes: NARROW } : {},
      widened: key.type === 'restricted' ? { scopes: WIDE } : {},
      renamed: {},
      created: {},
    } as const;
    this.#lost.delete(index);
    const next = { ...key, ...edit[to], version: key.version + 1 };
    this.#database.commit(key.id, [{ ...(row ?? stored), key: next }]);
  }

  #switch(index: number): void {
    const account = this.#accounts[index];
    const rows: Credential[] = [];
    for (const [at, { credential }] of this.#keys.entries()) {
      const row = this.#database.row(credential.key.hash);
      if (credential.key.accountId !== account) continue;
      this.#lost.delete(at);
      if (row === undefined) continue;
      const accountStatus = row.accountStatus === 'active' ? 'suspended' : 'active';
      rows.push({ ...row, accountStatus, accountVersion: row.accountVersion + 1 });
    }
    if (account !== undefined) this.#database.commit(account, rows);
  }

  #failOver(lost: number): void {
    const subjects = this.#database.failOver(lost);
    for (const [index, { credential }] of this.#keys.entries()) {
      const { id, accountId } = credential.key;
      if (subjects.has(id) || subjects.has(accountId)) this.#lost.add(index);
    }
  }

  #pass(how: 'advance' | 'sleep' | 'stepWall', ms: number): void {
    this.#wallMs += ms;
    if (how === 'stepWall') return;
    this.#realMs += ms;
    if (how === 'sleep') return;
    this.#monotonicMs += ms;
    this.observe();
    this.#timers.advance(ms);
  }
}

/** The verdict that rows stand for, in words of its own: the guard's code is what is judged. */
function describeRow(row: Credential | undefined, now: Date): string {
  if (row === undefined) return 'api_key_invalid';
  const { status, endedAt, expiresAt, scopes } = row.key;
  if (status === 'revoked') return 'api_key_revoked';
  if (endedAt || (expiresAt && expiresAt.getTime() <= now.getTime())) return 'api_key_expired';
  if (row.accountStatus === 'suspended') return 'account_disabled';
  return describeScopes(scopes ?? 'all');
}

function describeScopes(scopes: Iterable<Scope> | 'all'): string {
  return scopes === 'all' ? 'all' : [...scopes].sort().join(' ');
}

/** Lets every promise that can go on go on. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
