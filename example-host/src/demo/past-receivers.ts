import type { Acting, Paymount } from 'paymount';
import { openOrigin } from './origin.ts';
import type { PastClock } from './past-clock.ts';
import type { UndoStack } from './undo-stack.ts';

const HOUR_MS = 3_600_000;

type Wanted = Parameters<Paymount['webhookEndpoints']['create']>[1];

/** A webhook receiver of the merchant. */
interface ReceiverPlan {
  readonly description: string;
  readonly events: Wanted['enabled_events'];
  /** Its answer so many hours before now. */
  readonly answer: (hoursAgo: number) => { readonly status: number; readonly body: string };
}

const OK = { status: 200, body: 'ok' };

/** One that works, one that had an outage, and one that has failed since last night. */
const PLANS: readonly ReceiverPlan[] = [
  { description: 'Bookkeeping', events: ['*'], answer: () => OK },
  {
    description: 'Warehouse',
    events: ['charge.succeeded', 'charge.refunded'],
    answer: (hoursAgo) =>
      hoursAgo > 66 && hoursAgo < 78
        ? { status: 503, body: '<h1>503 Service Unavailable</h1><p>Back soon.</p>' }
        : OK,
  },
  {
    description: 'Newsletter',
    events: ['charge.succeeded'],
    answer: (hoursAgo) =>
      hoursAgo < 14
        ? { status: 500, body: '{"error":"column \\"customer_mail\\" does not exist"}' }
        : OK,
  },
];

/**
 * Starts the merchant's receivers and registers them. They answer as the clock demands, and run
 * until the end of the demo.
 */
export async function openReceivers(
  paymount: Paymount,
  merchant: Acting,
  clock: PastClock,
  undo: UndoStack,
): Promise<void> {
  for (const { description, events, answer } of PLANS) {
    const origin = await openOrigin(0, undo);
    const startMs = Date.now();
    origin.serve((request, response) => {
      request.resume();
      const hoursAgo = (startMs - clock.now().getTime()) / HOUR_MS;
      const { status, body } = answer(hoursAgo);
      response.writeHead(status, { 'content-type': 'text/plain' }).end(body);
    });
    const path = `/${description.toLowerCase()}/webhooks`;
    const wanted = { url: origin.url + path, enabled_events: events, description };
    await paymount.webhookEndpoints.create(merchant, wanted);
  }
}
