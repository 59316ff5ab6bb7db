import type {
  IdempotencyRecord,
  IdempotencyRepository,
  StoredResponse,
} from '@paymount/core/changes';
import type { IdempotencyClaim, OperationId, Owner } from '@paymount/core/kernel';

/** What the storage port promises of idempotency rows, without a database. */
export class MemoryRows implements IdempotencyRepository {
  readonly rows = new Map<string, IdempotencyRecord>();

  async find(owner: Owner, key: string): Promise<IdempotencyRecord | undefined> {
    return this.rows.get(rowName(owner, key));
  }

  async record(claim: IdempotencyClaim, answer: StoredResponse): Promise<boolean> {
    if (this.rows.has(rowName(claim, claim.key))) return false;
    this.finish(claim, answer);
    return true;
  }

  async takeOver(claim: IdempotencyClaim, seenLockedUntil: Date): Promise<boolean> {
    const row = this.rows.get(rowName(claim, claim.key));
    if (row?.state !== 'running' || row.lockedUntil.getTime() !== seenLockedUntil.getTime()) {
      return false;
    }
    this.rows.set(rowName(claim, claim.key), { ...row, lockedUntil: claim.lockedUntil });
    return true;
  }

  async amend(owner: Owner, key: string, body: { seen: string; next: string }): Promise<boolean> {
    const row = this.rows.get(rowName(owner, key));
    if (row?.state !== 'done' || row.response.body !== body.seen) return false;
    const answer = { ...row.response, body: body.next };
    this.rows.set(rowName(owner, key), { ...row, response: answer });
    return true;
  }

  async forget(claim: IdempotencyClaim): Promise<void> {
    const name = rowName(claim, claim.key);
    if (this.rows.get(name)?.requestId === claim.requestId) this.rows.delete(name);
  }

  async purge(): Promise<number> {
    return 0;
  }

  /** As the first change of a processor call does. @returns whether the key was free */
  begin(claim: IdempotencyClaim, operationId: OperationId): boolean {
    const name = rowName(claim, claim.key);
    if (this.rows.has(name)) return false;
    const { fingerprint, requestId, lockedUntil } = claim;
    this.rows.set(name, { state: 'running', fingerprint, requestId, lockedUntil, operationId });
    return true;
  }

  /** As the last change does. */
  finish(claim: IdempotencyClaim, answer: StoredResponse): void {
    const { fingerprint, requestId } = claim;
    this.rows.set(rowName(claim, claim.key), {
      state: 'done',
      fingerprint,
      requestId,
      response: answer,
    });
  }
}

function rowName({ accountId, environment }: Owner, key: string): string {
  return [accountId, environment, key].join(' ');
}
