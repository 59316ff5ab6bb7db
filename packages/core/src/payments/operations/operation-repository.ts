import type { Environment, Owner } from '../../kernel/basics/environment.ts';
import type { ChargeId, OperationId } from '../../kernel/basics/id.ts';
import type { Operation } from './operation.ts';

export interface OperationRepository {
  find(owner: Owner, id: OperationId): Promise<Operation | undefined>;
  /** The unresolved operation of a subject, if any: at most one (partial unique index). */
  findUnresolved(owner: Owner, subjectId: string): Promise<Operation | undefined>;
  /**
   * The unresolved operation that decides over the charge itself: kind `authorize`, `capture` or
   * `cancel` with this `chargeId` (a refund that cancels an authorization counts). Call it with
   * the charge's row locked.
   */
  findUnresolvedOnCharge(owner: Owner, chargeId: ChargeId): Promise<Operation | undefined>;
  /** The time by which waits are counted: the database's, which all workers share. */
  now(): Promise<Date>;
  /**
   * Takes up to `limit` unresolved operations (`created`, `sent`, `unknown`) of an environment whose
   * `nextLookupAt` has passed by the database's time, oldest first. Pushes their `nextLookupAt` by
   * `leaseMs` in the same statement (SKIP LOCKED, version unchanged), so that of two resolvers one
   * gets each row.
   */
  claimDue(claim: {
    readonly environment: Environment;
    readonly limit: number;
    readonly leaseMs: number;
  }): Promise<readonly Operation[]>;
}
