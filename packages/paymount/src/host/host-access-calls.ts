import { hostActor } from '@paymount/core/access';
import {
  type AllOptions,
  ANY_OPTION,
  type AuditContext,
  assertOptions,
  CallerInput,
  type Clock,
  ENVIRONMENTS,
  MAX_USER_AGENT,
  newId,
  objectOption,
  stringOption,
} from '@paymount/core/kernel';
import { type IdempotencyPorts, Idempotent, parseInput } from '@paymount/http';
import { ADMINS, type AdminCall } from '@paymount/management';
import { executeOnce } from './execute-once.ts';

/** Options for a change of accounts or keys by the host's own code. */
export interface CallOptions {
  /**
   * Like the header `Idempotency-Key`: a call repeated with the same parameters does nothing and
   * returns the same answer.
   */
  readonly idempotencyKey?: string;
  /** The actor, for the audit log. @defaultValue the host */
  readonly by?: AuditContext;
}

const KNOWN: AllOptions<CallOptions> = {
  idempotencyKey: ANY_OPTION,
  // The others are validated by their schema.
  by: objectOption({
    actor: ANY_OPTION,
    via: ANY_OPTION,
    ip: ANY_OPTION,
    requestId: ANY_OPTION,
    userAgent: stringOption(),
  }),
};

/** No id of an admin begins with a line break, and no key contains one. */
const HOST_PREFIX = '\nhost\n';

/** Acts like an admin with every right who has just signed in. */
const EVERYWHERE = { accounts: 'all', environments: ENVIRONMENTS } as const;

type Shape = Parameters<typeof parseInput>[0];
type Read<Given extends Shape> = ReturnType<typeof parseInput<Given>>;

/** A change, with the parameters of the route of the same name. */
interface AccessRequest<Given extends Shape> {
  /** The call, such as `keys.create()`. */
  readonly name: string;
  readonly path: string;
  readonly shape: Given;
  readonly input: unknown;
  readonly options: CallOptions | undefined;
}

/** Calls of the host's own code on accounts and keys, each change at most once for its key. */
export class HostAccessCalls {
  readonly #idempotent: Idempotent;
  readonly #clock: Clock;

  constructor(ports: IdempotencyPorts) {
    this.#idempotent = new Idempotent(ports);
    this.#clock = ports.clock;
  }

  /** Executes a call that changes nothing. @throws PaymountError `parameter_*`, and as `execute` */
  async read<Given extends Shape, Resource>(
    { shape, input }: Pick<AccessRequest<Given>, 'shape' | 'input'>,
    execute: (call: AdminCall, parameters: Read<Given>) => Promise<Resource>,
  ): Promise<Resource> {
    // Card numbers are refused, as in requests of admins.
    const parameters = parseInput(shape, input, 'live');
    return execute(this.#toCall({}), parameters);
  }

  /**
   * Executes a call that changes something.
   * @throws PaymountError `parameter_*`, also naming a member of `by`; as `execute` does, or did when the key was new;
   *   `idempotency_key_invalid`, `idempotency_key_mismatch`, `idempotency_key_in_use`
   * @throws TypeError for an unknown option
   */
  async change<Given extends Shape, Resource extends object>(
    { name, path, shape, input, options = {} }: AccessRequest<Given>,
    execute: (call: AdminCall, parameters: Read<Given>) => Promise<Resource>,
  ): Promise<Resource> {
    const parameters = parseInput(shape, input, 'live');
    assertOptions(`The last parameter of ${name}`, KNOWN, options);
    const call = this.#toCall(options);
    if (options.idempotencyKey === undefined) return execute(call, parameters);
    return executeOnce(this.#idempotent, {
      method: 'POST',
      path,
      parameters,
      owner: ADMINS,
      requestId: call.requestId,
      key: options.idempotencyKey,
      prefix: HOST_PREFIX,
      cards: true,
      execute: (claim) => execute({ ...call, claim }, parameters),
    });
  }

  #toCall({ by: given }: Pick<CallOptions, 'by'>): AdminCall {
    const by = given === undefined ? hostActor() : checkedContext(given);
    const { id } = by.actor;
    const now = this.#clock.now();
    return {
      admin: { ...EVERYWHERE, id, displayName: id, roles: [], authTime: now, via: by.via },
      access: { permission: 'none' },
      adminScope: EVERYWHERE,
      requestId: newId('req'),
      now,
      audit: by,
    };
  }
}

/** @throws PaymountError `parameter_*` that names a member of `by` */
function checkedContext({ userAgent, ...named }: AuditContext): AuditContext {
  parseInput(CallerInput, { by: named }, 'live');
  // A header of a client must not prevent an admin from revoking a key.
  return { ...named, ...(userAgent && { userAgent: userAgent.slice(0, MAX_USER_AGENT) }) };
}
