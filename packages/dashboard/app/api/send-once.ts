import { hasCode, isPassing } from './problems.ts';

const KEY_BYTES = 16;
/** After so long, whoever does the same again means another action. */
const KEPT_MS = 5 * 60_000;

interface KeptKey {
  readonly idempotencyKey: string;
  readonly endsAtMs: number;
}

/** The idempotency keys of actions that got no answer. */
const unanswered = new Map<string, KeptKey>();

/**
 * Sends an action. An action without an answer may have been done, so it is sent with the same
 * idempotency key again within 5 minutes, also from a dialog that was closed and opened anew. After
 * an answer, the same action is another one.
 * @param action what is sent and where, as a text
 * @param nowMs a time that only goes forward @defaultValue that of the page
 * @throws as `request`
 */
export async function sendOnce<Answer>(
  action: string,
  send: (idempotencyKey: string) => Promise<Answer>,
  nowMs: () => number = () => performance.now(),
): Promise<Answer> {
  const kept = unanswered.get(action);
  const isKept = kept !== undefined && nowMs() < kept.endsAtMs;
  const idempotencyKey = isKept ? kept.idempotencyKey : newIdempotencyKey();
  unanswered.set(action, { idempotencyKey, endsAtMs: nowMs() + KEPT_MS });
  try {
    const answer = await send(idempotencyKey);
    unanswered.delete(action);
    return answer;
  } catch (error) {
    const isOpen = isPassing(error) || hasCode(error, 'idempotency_key_in_use');
    if (isOpen) unanswered.set(action, { idempotencyKey, endsAtMs: nowMs() + KEPT_MS });
    else unanswered.delete(action);
    throw error;
  }
}

/** `randomUUID` exists only on pages with TLS, and hosts may serve test without. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
