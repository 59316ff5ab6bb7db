import { z } from 'zod';
import type { Environment } from '../../kernel/basics/environment.ts';
import type { IdempotencyClaim } from '../../kernel/callers/principal.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import { answerContext, answerOf } from './answer.ts';
import type { StoredAnswer } from './idempotency.ts';

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
export async function sealedAnswer(
  sealer: Sealer,
  claim: IdempotencyClaim,
  { environment, resource }: ShownSecret,
): Promise<StoredAnswer> {
  const { status, body } = answerOf(resource);
  const plain: z.input<typeof Sealed> = { credential: claim.credential, body };
  const { sealed, kid } = await sealer.seal(
    JSON.stringify(plain),
    answerContext(claim),
    environment,
  );
  return { status, body: sealed, kid };
}

/**
 * Opens what `sealedAnswer` stored.
 * @throws PaymountError `idempotency_credential_mismatch` for every other credential; `unavailable`
 */
export async function openedAnswer(
  sealer: Sealer,
  claim: IdempotencyClaim,
  answer: StoredAnswer,
): Promise<StoredAnswer> {
  const plain: unknown = JSON.parse(await sealer.open(answer.body, answerContext(claim)));
  const { data } = Sealed.safeParse(plain);
  if (data?.credential === claim.credential) return { status: answer.status, body: data.body };
  throw new PaymountError(
    'idempotency_credential_mismatch',
    'Another credential made the request under this Idempotency-Key, and its answer shows a ' +
      'secret. Only that credential may replay it; send a new Idempotency-Key, or rotate the secret.',
  );
}
