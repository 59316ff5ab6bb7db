import type { Environment } from '../../kernel/basics/environment.ts';
import type { OperationId } from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { Operation, OperationKind, OperationState } from './operation.ts';
import type { OperationAnswer } from './operation-answer.ts';

export interface OperationFilter extends Omit<AdminListFilter, 'status'> {
  /**
   * `review`: operations that a person must look at, in any state. `any`: all. @defaultValue
   * `review`
   */
  readonly state?: OperationState | 'review' | 'any';
  readonly kind?: OperationKind;
  /** Name of the adapter. */
  readonly processor?: string;
  /** Id of the charge or refund. */
  readonly subject?: string;
  readonly created?: CreatedFilter;
}

/** The number of operations that a person must look at. */
export interface ReviewCount {
  readonly count: number;
  /** How many of them have waited for the hook for more than 5 minutes. */
  readonly hookWaits: number;
  /** Since when the oldest of them waits. */
  readonly since?: Date;
}

/** Operations for operators. */
export interface OperationDirectory {
  /** @param reach operations outside are not found */
  find(scope: AdminScope, id: OperationId): Promise<Operation | undefined>;
  /** Newest first. @throws `invalid_cursor` */
  list(scope: AdminScope, filter: OperationFilter, page: PageRequest): Promise<Page<Operation>>;
  /** The answers about it, oldest first; empty unless a person had to look at it. */
  answers(operation: Operation): Promise<readonly OperationAnswer[]>;
  /** Of all accounts, for each environment. */
  underReview(): Promise<Readonly<Record<Environment, ReviewCount>>>;
}
