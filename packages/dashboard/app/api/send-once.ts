import { hasCode, isPassing } from './problems.ts';

const KEY_BYTES = 16;
/** The idempotency keys of actions that got no answer. */
const unanswered = new Map<string, string>();

/**
 * Sends an action. An action without an answer may have been done, so it is sent with the same
 * idempotency key again, also from a dialog that was closed and opened anew. After an answer, the same
 * action is another one.
 * @param action what is sent and where, as a text
 * @throws as `request`
 */
export async function sendOnce<Answer>(
  action: string,
  send: (idempotencyKey: string) => Promise<Answer>,
): Promise<Answer> {
  const key = unanswered.get(action) ?? newIdempotencyKey();
  unanswered.set(action, key);
  try {
    const answer = await send(key);
    unanswered.delete(action);
    return answer;
  } catch (error) {
    const isOpen = isPassing(error) || hasCode(error, 'idempotency_key_in_use');
    if (!isOpen) unanswered.delete(action);
    throw error;
  }
}

/** `randomUUID` exists only on pages with TLS, and hosts may serve test without. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
