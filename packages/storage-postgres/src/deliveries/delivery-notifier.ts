import type { DeliveryNotifier } from '@paymount/core/events';
import { type DeliveryId, parseId } from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import type { WatchConnection } from '../connection/watch-connection.ts';
import type { Session } from '../transaction/session.ts';

const CHANNEL = 'paymount_deliveries';
const NOTIFY_EVERY_MS = 5;
/** PostgreSQL refuses payloads of 8,000 bytes and more. */
const IDS_PER_PAYLOAD = 150;
/** Of one statement; the sweepers of the workers find what is beyond. */
const MAX_IDS = 10 * IDS_PER_PAYLOAD;

const notify = statement(
  'pm_deliveries_notify_v1',
  () => `SELECT pg_notify('${CHANNEL}', t.payload) FROM unnest($1::text[]) AS t (payload)`,
);

/**
 * Tells the workers of other processes of first attempts, after their commit: inside the
 * transaction, NOTIFY would halve the rate of commits.
 * @param session sends; it may go through a pooler
 * @param watch listens
 */
export function deliveryNotifier(session: Session, watch: WatchConnection): DeliveryNotifier {
  const { schemaName } = session.statements;
  const waiting = new Set<DeliveryId>();
  let isSending = false;

  async function send(): Promise<void> {
    const ids = [...waiting].slice(0, MAX_IDS);
    waiting.clear();
    // A lost notification costs a second at most.
    await session.query(notify, [toPayloads(schemaName, ids)]).catch(() => undefined);
    isSending = false;
    if (waiting.size > 0) sendSoon();
  }

  /** One statement at a time, so that a slow database is not asked more often. */
  function sendSoon(): void {
    if (isSending) return;
    isSending = true;
    setTimeout(() => void send(), NOTIFY_EVERY_MS).unref();
  }

  return {
    announce(ids) {
      for (const id of ids) waiting.add(id);
      sendSoon();
    },
    listen: (onCommitted) =>
      watch.listen(CHANNEL, (subject) => {
        // Without a subject it only says that the connection listens from now on.
        const ids = subject.split(' ').flatMap((text) => parseId('dlv', text) ?? []);
        if (ids.length > 0) onCommitted(ids);
      }),
  };
}

function toPayloads(schema: string, ids: readonly DeliveryId[]): readonly string[] {
  const count = Math.ceil(ids.length / IDS_PER_PAYLOAD);
  return Array.from({ length: count }, (_, number) => {
    const part = ids.slice(number * IDS_PER_PAYLOAD, (number + 1) * IDS_PER_PAYLOAD);
    return [schema, ...part].join(' ');
  });
}
