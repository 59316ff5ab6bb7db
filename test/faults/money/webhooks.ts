import { verify } from 'paymount/receiver';
import { openWebhookLog, type WebhookLog } from '../webhook-log.ts';
import type { Fleet } from './fleet.ts';
import type { Party } from './parties.ts';
import { CLOCK_STEP_MS } from './recovery.ts';

/** A receiver for all merchants, which verifies what arrives. */
export interface Webhooks {
  readonly log: WebhookLog;
  /** What arrived and could not be verified. */
  readonly violations: readonly string[];
}

/** The clock may be moved on between signature and arrival. */
const TOLERANCE_SECONDS = 300 + CLOCK_STEP_MS / 1_000;

/** Opens the receiver, and registers it for each merchant at an API process. */
export async function openWebhooks(fleet: Fleet, parties: readonly Party[]): Promise<Webhooks> {
  const [api = ''] = fleet.apis();
  const secrets = new Map<string, string>();
  const violations: string[] = [];
  const log = await openWebhookLog((request) => {
    try {
      const secret = secrets.get(request.path.slice(1)) ?? '';
      verify({
        body: request.body,
        headers: request.headers,
        secret,
        now: new Date(Date.now() + fleet.shiftMs),
        toleranceSeconds: TOLERANCE_SECONDS,
      });
    } catch (error) {
      violations.push(`A delivery could not be verified: ${String(error)}`);
    }
  });
  for (const [number, { client, mount }] of parties.entries()) {
    const name = `merchant-${number}`;
    const answer = await client.post(`${api}${mount}/v1/webhook_endpoints`, {
      url: log.url(name),
      enabled_events: ['*'],
    });
    if (answer.status !== 200) throw new Error(`No endpoint could be made: ${answer.text}`);
    secrets.set(name, String(answer.json['secret']));
  }
  return { log, violations };
}
