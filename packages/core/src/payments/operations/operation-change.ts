import type { Change, Write } from '../../changes/change.ts';
import type { Operation } from './operation.ts';
import type { OperationAnswer } from './operation-answer.ts';

export type OperationWrite = Write<'operation', Operation>;

/** The fields of a change that tell more of an operation than its row. */
export interface OperationFacts {
  /** The answers about an operation that a person must look at. */
  readonly operationAnswer?: OperationAnswer;
}

/** The change of an operation alone. */
export type OperationChange = Change<OperationWrite> & OperationFacts;

/** The change of an operation and its subject, whose rows only the slice of the subject knows. */
export type SubjectChange = Change<Write<string, unknown>> & OperationFacts;

/** The operation that a change writes. @returns undefined if it writes none */
export function writtenOperation({ writes }: SubjectChange): Operation | undefined {
  return writes.find(isOperationWrite)?.row;
}

function isOperationWrite(write: Write<string, unknown>): write is OperationWrite {
  return write.kind === 'operation';
}
