import type { OperationId } from '../../kernel/basics/id.ts';
import type { CallResult } from './outcome.ts';

/** One answer about an operation that a person had to look at, in order of arrival. */
export interface OperationAnswer {
  readonly operationId: OperationId;
  /** The source: the processor, or the person who settled it. */
  readonly source: 'processor' | 'operator';
  readonly answer: CallResult;
  /** The person's reason. */
  readonly reason?: string;
  readonly created: Date;
}
