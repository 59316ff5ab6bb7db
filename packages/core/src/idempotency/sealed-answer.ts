import type { Environment } from '../shared/environment.ts';
import type { IdempotencyClaim } from '../shared/principal.ts';
import type { Sealer } from '../shared/sealer.ts';
import { answerContext, answerOf } from './answer.ts';
import type { StoredAnswer } from './idempotency.ts';

/** Of what environment the shown secret is; a claim of an admin is of none. */
export interface ShownSecret {
  readonly environment: Environment;
  readonly resource: object;
}

/**
 * What is stored of an answer that shows a secret: it can be sent again, and not be read.
 * @throws PaymountError `unavailable`, `sealing_keys_missing`
 */
export async function sealedAnswer(
  sealer: Sealer,
  claim: IdempotencyClaim,
  { environment, resource }: ShownSecret,
): Promise<StoredAnswer> {
  const plain = answerOf(resource);
  const { sealed, kid } = await sealer.seal(plain.body, answerContext(claim), environment);
  return { ...plain, body: sealed, kid };
}
