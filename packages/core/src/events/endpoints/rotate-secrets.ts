import type { AuditEntry } from '../../changes/audit/audit.ts';
import { applyIn } from '../../changes/commit.ts';
import type { ClaimedResponse } from '../../changes/idempotency/idempotency.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type { EndpointId } from '../../kernel/basics/id.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { WebhookChange } from '../webhook-change.ts';
import type { WebhookRepositories } from '../webhook-storage.ts';
import type { Endpoint, EndpointWithSecret } from './endpoint.ts';
import type { EndpointPorts } from './endpoint-service.ts';
import { MAX_SECRETS } from './seal-secret.ts';
import { secretRotation } from './secret-rotation.ts';

const MAX_TRIES = 3;

/** The results of rotating the signing secrets of several endpoints. */
export interface RotatedSecrets {
  readonly rotated: readonly EndpointWithSecret[];
  /** Not changed. */
  readonly skipped: readonly SkippedRotation[];
}

export interface SkippedRotation {
  readonly endpointId: EndpointId;
  /** The maximum number of secrets sign already; one must expire first. */
  readonly reason: 'secret_rotation_limit';
}

export type RotateSecretsPorts = Pick<
  EndpointPorts,
  'storage' | 'clock' | 'sealer' | 'createSecret'
>;

/** The endpoints to rotate, and the records of the rotation. */
export interface SecretsRotation {
  /** Called twice for every try. @returns endpoints of the call's owner */
  find(): Promise<readonly EndpointId[]>;
  /** How long the old secrets also sign. */
  readonly overlapSeconds: number;
  /** Makes the answer; it may call a key service, because it runs before the transaction. */
  record(
    result: RotatedSecrets,
    at: Date,
  ): Promise<{ readonly audit: AuditEntry; readonly response?: ClaimedResponse }>;
}

interface Plan {
  readonly before: readonly Endpoint[];
  readonly changes: readonly WebhookChange[];
  readonly result: RotatedSecrets;
}

/**
 * Gives several endpoints of one owner new signing secrets, in one commit with the answer that
 * contains them, so that no secret signs that nobody has seen. Endpoints that changed in the
 * meantime are checked again, at most three times.
 * @throws ClaimedError when the idempotency key was claimed in the meantime
 * @throws PaymountError `lock_timeout` when every try was raced; `unavailable`,
 *   `sealing_keys_missing`
 */
export async function rotateSecrets(
  ports: RotateSecretsPorts,
  call: Call,
  rotation: SecretsRotation,
): Promise<RotatedSecrets> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { before, changes, result } = await plan(ports, call, rotation);
    const applied = await ports.storage.transaction(async (repositories) => {
      if (!(await isUnchanged(repositories, before))) return false;
      for (const change of changes) await applyIn(repositories, change);
      return true;
    });
    if (applied) return result;
  }
  throw new PaymountError('lock_timeout');
}

/** All calls to other services, before the transaction. */
async function plan(
  ports: RotateSecretsPorts,
  call: Call,
  rotation: SecretsRotation,
): Promise<Plan> {
  const { storage, clock } = ports;
  const at = clock.now();
  const before: Endpoint[] = [];
  const skipped: SkippedRotation[] = [];
  const owner = ownerOf(call);
  for (const endpoint of await findWithVersions(ports, owner, rotation)) {
    const endpointId = endpoint.id;
    const secrets =
      rotation.overlapSeconds > 0
        ? await storage.read.endpoints.countSecrets(owner, endpointId, at)
        : 0;
    if (secrets < MAX_SECRETS) before.push(endpoint);
    else skipped.push({ endpointId, reason: 'secret_rotation_limit' });
  }
  const rotations: { change: WebhookChange; rotated: EndpointWithSecret }[] = [];
  for (const endpoint of before) {
    rotations.push(await secretRotation(ports, call, { endpoint, at, ...rotation }));
  }
  const result = { rotated: rotations.map(({ rotated }) => rotated), skipped };
  const { audit, response } = await rotation.record(result, at);
  const recorded: WebhookChange = {
    ...owner,
    at,
    writes: [],
    audit,
    ...(response && {
      claim: response.claim,
      response: { key: response.claim.key, response: response.response },
    }),
  };
  return { before, changes: [recorded, ...rotations.map(({ change }) => change)], result };
}

/**
 * Reads the endpoints to rotate, then asks again which ones these are. One that another call rotated
 * after the first question is found no more, and one that is rotated after the second question has
 * another version than the one read here, which `isUnchanged` notices.
 */
async function findWithVersions(
  { storage }: RotateSecretsPorts,
  owner: Owner,
  rotation: SecretsRotation,
): Promise<readonly Endpoint[]> {
  const found: Endpoint[] = [];
  for (const id of await rotation.find()) {
    const endpoint = await storage.read.endpoints.find(owner, id);
    if (endpoint !== undefined) found.push(endpoint);
  }
  const still = new Set(await rotation.find());
  return found.filter(({ id }) => still.has(id));
}

/**
 * Locks the endpoints, in the order of their ids and before any audit chain. Each rotation
 * increments the version, so a guarded update also protects the count of secrets.
 */
async function isUnchanged(
  { endpoints }: WebhookRepositories,
  planned: readonly Endpoint[],
): Promise<boolean> {
  for (const endpoint of planned) {
    const now = await endpoints.findForUpdate(endpoint, endpoint.id);
    if (now?.version !== endpoint.version) return false;
  }
  return true;
}
