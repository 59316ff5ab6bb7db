import type { IdempotencyClaim } from '../shared/principal.ts';
import type { Sealer } from '../shared/sealer.ts';
import { answerContext, answerOf } from './answer.ts';
import type { StoredAnswer } from './idempotency.ts';

/** What is stored of an answer that shows a secret: it can be sent again, and not be read. */
export async function sealedAnswer(
  sealer: Sealer,
  claim: IdempotencyClaim,
  resource: object,
): Promise<StoredAnswer> {
  const plain = answerOf(resource);
  const { sealed, kid } = await sealer.seal(plain.body, answerContext(claim));
  return { ...plain, body: sealed, kid };
}
