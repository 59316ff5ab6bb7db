import type { OperationId } from '../../kernel/basics/id.ts';
import type { CallResult } from './outcome.ts';

/** One answer about an operation that a person had to look at, in the order in which they came. */
export interface KeptAnswer {
  readonly operationId: OperationId;
  /** Who said so: the processor, or the person who settled it. */
  readonly source: 'processor' | 'operator';
  readonly answer: CallResult;
  /** Why the person decided so. */
  readonly reason?: string;
  readonly created: Date;
}
