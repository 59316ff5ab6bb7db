import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createPaymount } from 'paymount';
import { approve } from '../support/approve.ts';
import { answerCommands } from './child.ts';
import { SEALING_KEYS } from './seeds.ts';
import { silentLogger } from './silent-logger.ts';

/** Where platforms and the floor are in one app: both parse the same form. */
const paymount = await createPaymount({
  database: process.env['BENCH_DATABASE_URL'] ?? '',
  poolSize: Number(process.env['BENCH_CONNECTIONS']),
  sealingKeys: SEALING_KEYS,
  rateLimit: false,
  logger: silentLogger,
});
const app = express();
// As long as an answer with tokens, and answered to a form like a client's.
app.post('/hello', express.urlencoded(), (_request, response) => {
  response.set('Cache-Control', 'no-store').json({ refresh_token: 'x'.repeat(320) });
});
app.use(
  paymount.oauthRouter({
    environment: 'test',
    issuer: 'http://127.0.0.1',
    identity: { current: async () => null, loginUrl: () => '/login' },
  }),
);
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
server.keepAliveTimeout = 60_000;
const port = (server.address() as AddressInfo).port;

/** What a client needs to refresh the tokens of a merchant over and over. */
export interface Connected {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
}

/** A platform, and merchants who approved it. */
async function connect(merchants: number): Promise<readonly Connected[]> {
  const platform = await paymount.platforms.create({
    livemode: false,
    name: 'Bench',
    redirect_uris: ['https://app.example.com/callback'],
    scopes: ['charges:read'],
    contact_email: 'bench@example.com',
  });
  const client = { client_id: platform.id, client_secret: platform.client_secret ?? '' };
  const connected: Connected[] = [];
  for (let count = 0; count < merchants; count += 1) {
    const { id } = await paymount.accounts.create({
      name: `Merchant ${count}`,
      country: 'DE',
      default_currency: 'eur',
    });
    const code = await approve(paymount, { platform, account: id, scopes: ['charges:read'] });
    const response = await fetch(`http://127.0.0.1:${port}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...client, grant_type: 'authorization_code', code }),
    });
    const { refresh_token: refreshToken } = (await response.json()) as { refresh_token: string };
    const [clientId, clientSecret] = [client.client_id, client.client_secret];
    connected.push({ clientId, clientSecret, refreshToken });
  }
  return connected;
}

answerCommands({ port: () => port, connect }, async () => {
  server.closeAllConnections();
  await paymount.close();
});
