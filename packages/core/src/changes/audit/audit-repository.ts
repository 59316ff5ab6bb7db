import type { AccountId, AuditId } from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { AuditAction, AuditHead, AuditRecord, AuditVerdict } from './audit.ts';

export interface AuditFilter extends Omit<AdminListFilter, 'status'> {
  readonly action?: AuditAction;
  readonly target?: string;
  /** Id of the actor. */
  readonly actor?: string;
  readonly created?: CreatedFilter;
}

/** The audit log for admins. */
export interface AuditDirectory {
  find(id: AuditId): Promise<AuditRecord | undefined>;
  /**
   * Newest first; the global chain only for admins who see all accounts. @throws `invalid_cursor`
   */
  list(scope: AdminScope, filter: AuditFilter, page: PageRequest): Promise<Page<AuditRecord>>;
  /**
   * All entries that match the filter, chain by chain, oldest first, without gaps. Read in bounded
   * batches, for exports of any length. Entries written meanwhile may be missing at the ends of
   * chains.
   */
  export(scope: AdminScope, filter: AuditFilter): AsyncIterable<AuditRecord>;
  /**
   * Recomputes every hash, of one account's chain or of all.
   * @param kept heads that earlier runs returned: their entries must be unchanged. Only this
   *   detects a chain that was cut or rewritten together with its head. Two of them that give
   *   different hashes for one entry are also a fault, even if the log has one of these hashes
   */
  verify(account?: AccountId, kept?: readonly AuditHead[]): Promise<AuditVerdict>;
}
