import { z } from 'zod';
import type { Environment } from '../../kernel/basics/environment.ts';
import type { IdempotencyClaim } from '../../kernel/callers/principal.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import type { StoredResponse } from './idempotency.ts';
import { storedResponseContext, toStoredResponse } from './stored-response.ts';

/** The environment of the secret; absent for a claim of an admin. */
export interface ShownSecret {
  readonly environment: Environment;
  readonly resource: object;
}

/** The sealed content: the body, and the credential that got it. */
const Sealed = z.strictObject({ credential: z.string(), body: z.string() });

/**
 * Seals an answer that contains a secret for storage. It can be replayed to the credential that
 * made the request, but not be read.
 * @throws PaymountError `unavailable`, `sealing_keys_missing`
 */
export async function sealResponse(
  sealer: Sealer,
  claim: IdempotencyClaim,
  { environment, resource }: ShownSecret,
): Promise<StoredResponse> {
  const { status, body } = toStoredResponse(resource);
  const plain: z.input<typeof Sealed> = { credential: claim.credential, body };
  const { sealed, kid } = await sealer.seal(
    JSON.stringify(plain),
    storedResponseContext(claim),
    environment,
  );
  return { status, body: sealed, kid };
}

/**
 * Opens what `sealResponse` stored.
 * @throws PaymountError `idempotency_credential_mismatch` for every other credential; `unavailable`
 */
export async function openSealedResponse(
  sealer: Sealer,
  claim: IdempotencyClaim,
  response: StoredResponse,
): Promise<StoredResponse> {
  const plain: unknown = JSON.parse(await sealer.open(response.body, storedResponseContext(claim)));
  const { data } = Sealed.safeParse(plain);
  if (data?.credential === claim.credential) return { status: response.status, body: data.body };
  throw new PaymountError(
    'idempotency_credential_mismatch',
    'Another credential made the request under this Idempotency-Key, and its answer shows a ' +
      'secret. Only that credential may replay it; send a new Idempotency-Key, or rotate the secret.',
  );
}
