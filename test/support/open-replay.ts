import type { AccountId } from '@paymount/core/kernel';
import type { AdminApp } from './admin-app.ts';

/** Whose replay it is, and an address for an endpoint of its own. */
interface Replaying {
  readonly account: AccountId;
  readonly environment: 'live' | 'test';
  readonly url: string;
}

const MAX_TRIES = 10;
/** What no test makes happen, so that nothing fresh is skipped there. */
const WANTED = ['payout.failed'] as const;

/**
 * Makes a replay that stays `running`, and of which no worker writes: its endpoint is disabled as
 * soon as it is made.
 * @returns its id
 */
export async function openReplay(
  app: AdminApp,
  { account, environment, url }: Replaying,
): Promise<string> {
  const { webhookEndpoints } = app.paymount;
  const acting = { account, environment };
  const body = { account, livemode: environment === 'live' };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { id: to } = await webhookEndpoints.create(acting, { url, enabled_events: WANTED });
    const made = await app.admin('/replays', { body: { ...body, to, types: ['dispute.won'] } });
    if (made.status !== 200) throw new Error(`POST /replays: ${made.text}`);
    await app.admin(`/endpoints/${to}`, { body: { disabled: true } });
    await app.worker.drain();
    const { json } = await app.admin(`/replays/${String(made.json['id'])}`);
    if (json['status'] === 'running') return String(json['id']);
    // A worker was quicker than this test.
    await webhookEndpoints.delete(acting, to);
  }
  throw new Error('No replay stays open.');
}
