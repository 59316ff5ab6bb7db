import type { Call, Environment } from '@paymount/core/kernel';
import { type IdempotencyPorts, Idempotent, parseInput } from '@paymount/http';
import { type Acting, toCall } from './acting.ts';
import { executeOnce } from './execute-once.ts';

/** Keys of merchants contain no line break, so they cannot collide with the host's. */
const HOST_PREFIX = 'host\n';

/** The call that a key identifies: the route of the same name, and its parameters. */
interface HostRequest<Parameters> {
  /** @defaultValue POST */
  readonly method?: 'POST' | 'DELETE';
  readonly path: string;
  readonly read: Read<Parameters>;
}

/** Validates the host's parameters. @throws PaymountError */
type Read<Parameters> = (environment: Environment) => Parameters;

type Schema = Parameters<typeof parseInput>[0];

/**
 * Validates the host's parameters like the route.
 * @param first validates the environment before that
 */
export function reading<Shape extends Schema>(
  shape: Shape,
  input: unknown,
  first?: (environment: Environment) => void,
): Read<ReturnType<typeof parseInput<Shape>>> {
  return (environment) => {
    first?.(environment);
    return parseInput(shape, input, environment);
  };
}

/** Calls of the host's own code, each change at most once for its idempotency key. */
export class HostCalls {
  readonly #idempotent: Idempotent;

  constructor(ports: IdempotencyPorts) {
    this.#idempotent = new Idempotent(ports);
  }

  /** Executes a call that changes nothing. @throws as `toCall`, and as `execute` does */
  async read<Parameters, Resource>(
    acting: Acting,
    read: Read<Parameters>,
    execute: (call: Call, parameters: Parameters) => Promise<Resource>,
  ): Promise<Resource> {
    const call = toCall(acting);
    return execute(call, read(call.principal.environment));
  }

  /**
   * Executes a call that changes something.
   * @throws as `toCall`; PaymountError as the service does, or did when the key was new;
   *   `idempotency_key_invalid`, `idempotency_key_mismatch`, `idempotency_key_in_use`
   */
  async change<Parameters, Resource extends object>(
    acting: Acting,
    { method = 'POST', path, read }: HostRequest<Parameters>,
    execute: (call: Call, parameters: Parameters) => Promise<Resource>,
  ): Promise<Resource> {
    const call = toCall(acting);
    const { environment } = call.principal;
    const parameters = read(environment);
    if (acting.idempotencyKey === undefined) return execute(call, parameters);
    return executeOnce(this.#idempotent, {
      method,
      path,
      parameters,
      owner: call.principal,
      requestId: call.requestId,
      key: acting.idempotencyKey,
      prefix: HOST_PREFIX,
      cards: environment === 'live',
      execute: (claim) => execute({ ...call, claim }, parameters),
    });
  }
}
