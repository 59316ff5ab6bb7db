import type { Environment } from '../../kernel/basics/environment.ts';
import type { Processor } from '../processor/processor.ts';
import type { Operation } from './operation.ts';

/**
 * The adapter that an operation was made for. Never another one, because it would not know what the
 * first processor executed and would execute it again.
 * @throws Error if the host has since configured another adapter; a person must look
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
