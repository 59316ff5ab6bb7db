import assert from 'node:assert/strict';
import { type AccountId, type Call, type Environment, errorIn, newId } from '@paymount/core';
import { type IdempotencyPorts, Idempotent, judgeIdempotencyKey } from '@paymount/http';

/** Merchants' keys hold no line break, so that none of them meets one of the host's. */
const HOST_PREFIX = 'host\n';

/** Whom the host's own code acts for. */
export interface Acting {
  readonly account: AccountId;
  readonly environment: Environment;
  /**
   * As the header `Idempotency-Key`, for calls that change something: repeated with the same
   * parameters the call does nothing and answers the same.
   */
  readonly idempotencyKey?: string;
}

/** What a key stands for: the route of the same name, and its parameters. */
interface HostRequest {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  readonly parameters: unknown;
}

/** Calls of the host's own code, each at most once for its idempotency key. */
export class HostCalls {
  readonly #idempotent: Idempotent;

  constructor(ports: IdempotencyPorts) {
    this.#idempotent = new Idempotent(ports);
  }

  /**
   * Executes a call that changes something.
   * @throws PaymountError as the service does, or did when the key was new; `idempotency_key_invalid`,
   *   `idempotency_key_mismatch`, `idempotency_key_in_use`
   */
  async change<Resource extends object>(
    acting: Acting,
    request: HostRequest,
    execute: (call: Call) => Promise<Resource>,
  ): Promise<Resource> {
    const call = callOf(acting);
    if (acting.idempotencyKey === undefined) return execute(call);
    const cards = acting.environment === 'live';
    const { status, body } = await this.#idempotent.answer({
      ...request,
      owner: call.principal,
      credential: 'host',
      requestId: call.requestId,
      key: HOST_PREFIX + judgeIdempotencyKey(acting.idempotencyKey, { cards }),
      execute: (claim) => execute({ ...call, claim }),
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

/** A call without a key. */
export function callOf({ account, environment }: Acting): Call {
  return {
    requestId: newId('req'),
    principal: { kind: 'host', accountId: account, environment, scopes: 'all' },
  };
}
