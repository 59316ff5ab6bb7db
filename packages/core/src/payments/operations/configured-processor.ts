import type { Environment } from '../../kernel/basics/environment.ts';
import type { Operation } from './operation.ts';
import type { Processor } from './processor.ts';

/**
 * The adapter that an operation was made for, and never another: what one processor executed,
 * another knows nothing of and would execute again.
 * @throws Error when the host has configured another one since; a person must look
 */
export function configuredProcessor(
  processors: Readonly<Record<Environment, Processor>>,
  operation: Operation,
): Processor {
  const processor = processors[operation.environment];
  if (processor.name === operation.processor) return processor;
  throw new Error(
    `Operation ${operation.id} was made for the processor ${operation.processor}; ${processor.name} is configured.`,
  );
}
