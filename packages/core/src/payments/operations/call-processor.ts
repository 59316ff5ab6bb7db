import type { Clock } from '../../kernel/basics/clock.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import type { Telemetry } from '../../kernel/telemetry/telemetry.ts';
import { OPERATION_DEADLINE_MS, withDeadline } from '../processor/deadline.ts';
import { hideInError, hideInResult, hideNumbers } from '../processor/hide-number.ts';
import type { ParsedAnswer } from '../processor/parse-answer.ts';
import { parseLookup, parseOutcome } from '../processor/parse-outcome.ts';
import { NotSentError, type Processor } from '../processor/processor.ts';
import { configuredProcessor } from './configured-processor.ts';
import type { Operation } from './operation.ts';
import type { SentFacts, Subject } from './operation-subject.ts';
import type { CallResult } from './outcome.ts';

/** What a request to a processor needs. */
export interface CallPorts {
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  readonly crashPoint: CrashPoint;
}

/** A request with its object. */
interface Call {
  readonly operation: Operation;
  readonly subject: Subject;
}

/** Receives an answer that comes after the deadline. */
type OnLate<Result> = (result: Result) => void;

/**
 * Sends an operation to its processor; no transaction is open. A call without an answer by the
 * deadline has an unknown outcome.
 */
export function submitToProcessor(
  ports: CallPorts,
  { operation, subject }: Call,
  onLate: OnLate<CallResult>,
): Promise<CallResult> {
  const { logger, crashPoint } = ports;
  const processor = configuredProcessor(ports.processors, operation);
  // Not only the number that is sent: what is sent again is answered about an earlier one.
  const hide = subject.isOfBankAccount ? hideNumbers : (text: string) => text;
  const read = (answer: unknown) =>
    hideInResult(toOutcome(parseOutcome(answer), operation, logger), hide);
  return measured(ports, { operation, name: operation.kind }, async () => {
    crashPoint('operation.before_call');
    try {
      const answer = await withDeadline(
        OPERATION_DEADLINE_MS,
        (deadline) => subject.send(processor, toSent(operation, deadline)),
        (late) => onLate(read(late)),
      );
      crashPoint('operation.after_call');
      return read(answer);
    } catch (error) {
      if (NotSentError.is(error)) return { outcome: 'not_sent' };
      logger.warn(
        {
          operation: operation.id,
          kind: operation.kind,
          err: hideInError(error, hide),
        },
        'A processor call ended without an answer; its outcome is unknown.',
      );
      return { outcome: 'unknown' };
    }
  });
}

function toSent(operation: Operation, deadline: AbortSignal): SentFacts {
  return {
    kind: operation.kind,
    operationId: operation.id,
    attempt: operation.attempt,
    amount: operation.amount,
    currency: operation.currency,
    reference: operation.subjectId,
    livemode: operation.environment === 'live',
    deadline,
  };
}

/** Asks the processor for the outcome of an operation. */
export function lookUpAtProcessor(
  ports: CallPorts,
  operation: Operation,
  onLate: OnLate<CallResult | 'not_found'>,
): Promise<CallResult | 'not_found'> {
  const { logger } = ports;
  const processor = configuredProcessor(ports.processors, operation);
  const read = (answer: unknown) => toOutcome(parseLookup(answer), operation, logger);
  return measured(ports, { operation, name: 'lookup' }, async () => {
    try {
      const answer = await withDeadline(
        OPERATION_DEADLINE_MS,
        (deadline) => processor.lookup(operation.id, deadline),
        (late) => onLate(read(late)),
      );
      return read(answer);
    } catch (error) {
      logger.warn(
        { operation: operation.id, err: hideInError(error, hideNumbers) },
        'A look-up ended without an answer.',
      );
      return { outcome: 'unknown' };
    }
  });
}

/** Measures and traces one request to a processor. */
function measured<Result extends CallResult | 'not_found'>(
  { clock, telemetry }: CallPorts,
  call: { readonly operation: Operation; readonly name: Operation['kind'] | 'lookup' },
  work: () => Promise<Result>,
): Promise<Result> {
  const { id, environment, attempt } = call.operation;
  const startedMs = clock.monotonicMs();
  const facts = {
    'paymount.operation': id,
    'paymount.environment': environment,
    'paymount.attempt': attempt,
  };
  return telemetry.span(`paymount.processor.${call.name}`, facts, async (add) => {
    const result = await work();
    const outcome = typeof result === 'string' ? result : result.outcome;
    const labels = { environment, operation: call.name };
    add({ 'paymount.outcome': outcome });
    telemetry.count('paymount_processor_calls_total', { ...labels, outcome });
    const seconds = (clock.monotonicMs() - startedMs) / 1_000;
    telemetry.observe('paymount_processor_call_seconds', seconds, labels);
    return result;
  });
}

/** The outcome of a reading. An unreadable answer is logged without its values, and is unknown. */
function toOutcome<Result>(
  reading: ParsedAnswer<Result>,
  operation: Operation,
  logger: Logger,
): Result | { readonly outcome: 'unknown' } {
  if ('result' in reading) return reading.result;
  logger.error(
    { operation: operation.id, kind: operation.kind, ...reading.unreadable },
    'The answer of a processor cannot be read; its outcome is unknown.',
  );
  return { outcome: 'unknown' };
}
