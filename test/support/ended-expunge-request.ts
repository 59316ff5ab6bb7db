import type { AccountId } from '@paymount/core/kernel';
import type { AdminApp } from './admin-app.ts';

const MAX_TRIES = 10;

/** Makes a request that concerns no event, and of which no worker writes any more. @returns its id */
export async function endedExpungeRequest(
  app: AdminApp,
  { account, environment }: { readonly account: AccountId; readonly environment: 'live' | 'test' },
): Promise<string> {
  const made = await app.admin('/expunge_requests', {
    body: {
      account,
      livemode: environment === 'live',
      created: { lt: 1 },
      reason: 'A test.',
    },
  });
  const id = String(made.json['id']);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    await app.worker.drain();
    const { json } = await app.admin(`/expunge_requests/${id}`);
    if (json['status'] === 'succeeded') return id;
  }
  throw new Error(`POST /expunge_requests: ${made.text}`);
}
