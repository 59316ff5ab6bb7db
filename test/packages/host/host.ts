// A host of a few lines, which module-settings.nightly.test.ts compiles under every module setting.
import { createHmac, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { processorCases } from '@paymount/testing';
import { createPaymount, type Paymount, PaymountError } from 'paymount';
import { NotSentError, type Processor } from 'paymount/processor';
import { SignatureError, verify, type WebhookEvent } from 'paymount/receiver';
import { startPostgres } from 'paymount/testing';
import { startWorker } from 'paymount/worker';

/** What an adapter does that has lost its network. */
const authorize: Processor['authorize'] = () =>
  Promise.reject(new NotSentError('There is no network.'));

/** A delivery as the service signs it. */
function received(): WebhookEvent {
  const key = randomBytes(32);
  const body = Buffer.from(
    JSON.stringify({
      id: 'evt_1',
      object: 'event',
      type: 'charge.succeeded',
      livemode: false,
      api_version: '2026-01-01',
      created: '2026-01-01T00:00:00.000Z',
      data: { object: {} },
    }),
  );
  const secret = `whsec_${key.toString('base64')}`;
  const seconds = Math.floor(Date.now() / 1000);
  const v1 = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  const headers = { 'service-signature': `t=${seconds},v1=${v1}` };
  try {
    verify({ body, headers, secret: `whsec_${randomBytes(32).toString('base64')}` });
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
  }
  return verify({ body, headers, secret });
}

async function charged(paymount: Paymount): Promise<string> {
  const account = await paymount.accounts.create({
    name: 'The tea shop',
    country: 'DE',
    default_currency: 'eur',
  });
  const acting = { account: account.id, environment: 'test' as const };
  const charge = await paymount.charges.create(acting, {
    amount: 4200,
    currency: 'eur',
    payment_method: 'pm_card_visa',
  });
  return String(charge.status);
}

/** What a wrong key gets, over the loopback. */
async function refused(paymount: Paymount): Promise<number> {
  const server = createServer(paymount.router({ environment: 'test', requireTls: false }));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const answer = await fetch(`http://127.0.0.1:${port}/v1/charges`, {
    headers: { authorization: 'Bearer none' },
  });
  server.close();
  server.closeAllConnections();
  return answer.status;
}

/** What the start says where no database listens; Node's own error is its reason. */
async function unreached(): Promise<string> {
  const database = 'postgres://nobody@127.0.0.1:1/none';
  const start = createPaymount({ database, mailer: false });
  const error: unknown = await start.catch((reason: unknown) => reason);
  return String(Object(error).message).replace(/^.*\((\w+)\).*$/, '$1');
}

/** Does a little of everything that a host does, and says what came of it. */
export async function runHost(): Promise<string> {
  const silent = () => undefined;
  const paymount = await createPaymount({
    database: process.env['DATABASE_URL'] ?? '',
    mailer: false,
    logger: { debug: silent, info: silent, warn: silent, error: silent },
  });
  const worker = await startWorker(paymount);
  const facts = [
    await charged(paymount),
    await refused(paymount),
    received().type,
    new PaymountError('card_declined').code,
    typeof authorize,
    typeof startPostgres,
    typeof processorCases,
    await unreached(),
  ];
  await worker.close();
  await paymount.close();
  return facts.join(' ');
}
