import type { Environment, Owner } from '../../kernel/basics/environment.ts';
import type { ChargeId, OperationId } from '../../kernel/basics/id.ts';
import type { Operation } from './operation.ts';

export interface OperationRepository {
  find(owner: Owner, id: OperationId): Promise<Operation | undefined>;
  /** The unresolved operation of an object, if any: at most one (partial unique index). */
  findUnresolved(owner: Owner, subjectId: string): Promise<Operation | undefined>;
  /**
   * The unresolved operation that can change the charge itself: kind `authorize`, `capture` or
   * `cancel` with this `chargeId` (including a refund that cancels an authorization). Call it with
   * the charge's row locked.
   */
  findUnresolvedOnCharge(owner: Owner, chargeId: ChargeId): Promise<Operation | undefined>;
  /** The time for waits: the database's time, which all workers share. */
  now(): Promise<Date>;
  /**
   * Takes up to `limit` unresolved operations (`created`, `sent`, `unknown`) of an environment
   * whose `nextLookupAt` has passed by the database's time, oldest first. It delays their
   * `nextLookupAt` by `leaseMs` in the same statement (SKIP LOCKED, version unchanged), so that two
   * resolvers never get the same row.
   */
  claimDue(claim: {
    readonly environment: Environment;
    readonly limit: number;
    readonly leaseMs: number;
  }): Promise<readonly Operation[]>;
}
