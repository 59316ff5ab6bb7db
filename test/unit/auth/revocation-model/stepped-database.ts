import type {
  AuthEpoch,
  AuthSync,
  Credential,
  CredentialLookup,
  CredentialReader,
  TokenLookup,
} from '@paymount/core/access';

type Change = AuthEpoch & { readonly subjects: readonly string[] };
type Rows = ReadonlyMap<string, Credential>;

const FIRST: Change = { gen: 0n, mark: 'mark-0', subjects: [] };

interface Query {
  readonly kind: 'look-ups' | 'syncs';
  /** Set once the database has taken the snapshot from which it will answer. */
  answer?: () => void;
  execute(): () => void;
  fail(): void;
}

/** A database whose every question is sent, executed and answered when the test says so. */
export class SteppedDatabase implements CredentialReader {
  readonly queries: Query[] = [];
  /** The pool reaches a standby that lags one commit behind. */
  standby = false;
  #rows: Rows;
  #history: readonly Change[] = [FIRST];
  #purgedBelow = 0n;
  #marks = 0;
  #seen: AuthEpoch | undefined;
  readonly #backups: { rows: Rows; history: readonly Change[] }[] = [];

  constructor(credentials: readonly Credential[]) {
    this.#rows = new Map(credentials.map((credential) => [hex(credential.key.hash), credential]));
    this.#backUp();
  }

  findByHash(hash: Uint8Array): Promise<CredentialLookup> {
    return this.#ask('look-ups', () => {
      const rows = this.standby ? (this.#backups.at(-2)?.rows ?? this.#rows) : this.#rows;
      return { credential: rows.get(hex(hash)), inRecovery: this.standby };
    });
  }

  /** The model has keys alone. */
  findTokenByHash(): Promise<TokenLookup> {
    return this.#ask('look-ups', () => ({ credential: undefined, inRecovery: this.standby }));
  }

  syncEpoch(seen: AuthEpoch | undefined): Promise<AuthSync> {
    this.#seen = seen;
    return this.#ask('syncs', () => {
      const history = this.standby
        ? (this.#backups.at(-2)?.history ?? this.#history)
        : this.#history;
      const { gen, mark } = history.at(-1) ?? FIRST;
      const kept = history.filter((change) => change.gen >= this.#purgedBelow);
      const changes = seen === undefined ? [] : kept.filter((change) => change.gen >= seen.gen);
      return { current: { gen, mark }, inRecovery: this.standby, changes };
    });
  }

  /** The row as it is committed. */
  row(hash: Uint8Array): Credential | undefined {
    return this.#rows.get(hex(hash));
  }

  /** One commit. @param subject id of a key or an account */
  commit(subject: string, rows: readonly Credential[]): void {
    this.#rows = new Map([...this.#rows, ...rows.map((row) => [hex(row.key.hash), row] as const)]);
    this.#marks += 1;
    const gen = this.#newest().gen + 1n;
    const change = { gen, mark: `mark-${this.#marks}`, subjects: [subject] };
    this.#history = [...this.#history, change];
    this.#backUp();
  }

  purge(): void {
    this.#purgedBelow = this.#newest().gen;
  }

  /**
   * A standby takes over that lacks the latest commits.
   * @returns the subjects of lost commits that no sync had shown to the guard: what a look-up
   *   cached of them cannot be told apart (hosts that fail over need synchronous replication)
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
    const at = index % Math.max(1, this.queries.length);
    const query = this.queries[at];
    if (query === undefined) return;
    if (query.answer === undefined) {
      query.answer = query.execute();
      return;
    }
    this.queries.splice(at, 1);
    query.answer();
  }

  /** Takes the snapshots for questions of a kind. */
  execute(what: Query['kind'] | 'all'): void {
    for (const query of this.queries) {
      if (what === 'all' || what === query.kind) query.answer ??= query.execute();
    }
  }

  /** Answers questions of a kind, which takes snapshots for those that have none. */
  answer(what: Query['kind'] | 'all'): void {
    this.execute(what);
    for (const query of this.queries.slice()) {
      if (what === 'all' || what === query.kind) this.step(this.queries.indexOf(query));
    }
  }

  fail(index: number): void {
    const [query] = this.queries.splice(index % Math.max(1, this.queries.length), 1);
    query?.fail();
  }

  #ask<Answer>(kind: Query['kind'], read: () => Answer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.queries.push({
        kind,
        execute: () => {
          const answer = read();
          return () => resolve(answer);
        },
        fail: () => reject(new Error('connection lost')),
      });
    });
  }

  #newest(): Change {
    return this.#history.at(-1) ?? FIRST;
  }

  #backUp(): void {
    this.#backups.push({ rows: this.#rows, history: this.#history });
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
