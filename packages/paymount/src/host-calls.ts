import assert from 'node:assert/strict';
import { type Call, type Environment, errorIn } from '@paymount/core';
import { type IdempotencyPorts, Idempotent, judgeIdempotencyKey } from '@paymount/http';
import { type Acting, callOf } from './acting.ts';

/** Merchants' keys hold no line break, so that none of them meets one of the host's. */
const HOST_PREFIX = 'host\n';

/** What a key stands for: the route of the same name, and its parameters. */
interface HostRequest<Parameters> {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  /** Judges what the host passed. @throws PaymountError */
  readonly read: (environment: Environment) => Parameters;
}

/** Calls of the host's own code, each at most once for its idempotency key. */
export class HostCalls {
  readonly #idempotent: Idempotent;

  constructor(ports: IdempotencyPorts) {
    this.#idempotent = new Idempotent(ports);
  }

  /**
   * Executes a call that changes something.
   * @throws as `callOf`; PaymountError as the service does, or did when the key was new;
   *   `idempotency_key_invalid`, `idempotency_key_mismatch`, `idempotency_key_in_use`
   */
  async change<Parameters, Resource extends object>(
    acting: Acting,
    { method, path, read }: HostRequest<Parameters>,
    execute: (call: Call, parameters: Parameters) => Promise<Resource>,
  ): Promise<Resource> {
    const call = callOf(acting);
    const { environment } = call.principal;
    const parameters = read(environment);
    if (acting.idempotencyKey === undefined) return execute(call, parameters);
    const cards = environment === 'live';
    const { status, body } = await this.#idempotent.answer({
      method,
      path,
      parameters,
      owner: call.principal,
      credential: 'host',
      requestId: call.requestId,
      key: HOST_PREFIX + judgeIdempotencyKey(acting.idempotencyKey, { cards }),
      execute: (claim) => execute({ ...call, claim }, parameters),
    });
    if (status !== 200) throw errorIn(body);
    const resource: unknown = JSON.parse(body);
    assert.ok(isOf<Resource>(resource), 'An answer is an object.');
    return resource;
  }
}

/** The same path and parameters gave it, so it is what `execute` gives. */
function isOf<Resource extends object>(resource: unknown): resource is Resource {
  return typeof resource === 'object' && resource !== null;
}
