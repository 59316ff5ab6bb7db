import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { verify } from 'paymount/receiver';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, FORM } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { freshDatabase, query, type TestDatabase } from '../support/database.ts';
import { startError } from '../support/host.ts';
import { startReceiver } from '../support/receiver.ts';
import { paymount } from '../support/run-command.ts';
import {
  buildSettings,
  sealingKey,
  secretsByKey,
  storeSecrets,
} from '../support/secrets-setting.ts';

const ENDPOINTS = 3;
const ROUNDS = 40;
const ENDPOINT = 'url=https%3A%2F%2Fhooks.example.com%2F&enabled_events[]=payout.paid';

/** From one sealing key to the next, as docs/how-to/rotate-sealing-keys.md tells it. */
describe('a change of sealing keys', function () {
  this.timeout(180_000);
  const [old, newest] = [sealingKey('2025'), sealingKey('2026')];
  let database: TestDatabase;
  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(() => database.drop());

  const startWith = (...sealingKeys: (typeof old)[]): Promise<TestApp> =>
    startApp({ paymount: { database: database.url, sealingKeys } });
  const rewrap = () => paymount(buildSettings(database.url, [newest, old]), 'secrets', 'rewrap');

  it('lets no delivery go unsigned while everything is sealed anew', async () => {
    const clock = fakeClock();
    const app = await startApp({
      paymount: { database: database.url, sealingKeys: [old, newest], clock },
    });
    const receivers = await Promise.all(Array.from({ length: ENDPOINTS }, () => startReceiver()));
    try {
      const secrets = await Promise.all(
        receivers.map(async ({ url }) => {
          const input = { url, enabled_events: ['charge.succeeded'] } as const;
          return (await app.paymount.webhookEndpoints.create(app.acting, input)).secret ?? '';
        }),
      );
      await storeSecrets(database.url, old, 3_000);
      const load = async () => {
        for (let round = 0; round < ROUNDS; round += 1) {
          // Past what a worker keeps, so that each round opens the stored secrets.
          clock.advance(61_000);
          const input = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };
          await app.paymount.charges.create(app.acting, input);
        }
      };
      const [, outcome] = await Promise.all([load(), rewrap()]);
      expect(outcome.exitCode, outcome.out.join('\n')).to.equal(0);
      expect(await secretsByKey(database.url)).to.deep.equal({ 2026: 3_000 + ENDPOINTS });
      await load();
      for (const [index, receiver] of receivers.entries()) {
        const requests = await receiver.waitFor(2 * ROUNDS);
        for (const { body, headers } of requests) {
          const delivery = { body, headers, secret: secrets[index] ?? '', now: clock.now() };
          // Of any age: the clock went on for an hour and more.
          expect(verify({ ...delivery, toleranceSeconds: 86_400 }).type).to.equal(
            'charge.succeeded',
          );
        }
        expect(new Set(requests.map(({ headers }) => headers['service-attempt']))).to.deep.equal(
          new Set(['1']),
        );
      }
    } finally {
      await app.close();
      await Promise.all(receivers.map((receiver) => receiver.close()));
    }
  });

  it('lets the old key go without breaking the retries of requests', async () => {
    const before = await startWith(old);
    const post = (app: TestApp, path: string, body: string) =>
      ask(`${app.url}${path}`, {
        body,
        key: before.secretKey,
        headers: { ...FORM, 'idempotency-key': `retry ${path}` },
      });
    const sale = 'amount=4200&currency=eur&source=tok_visa';
    const endpoint = await post(before, '/v1/webhook_endpoints', ENDPOINT);
    const charge = await post(before, '/v1/charges', sale);
    expect([endpoint.status, charge.status]).to.deep.equal([200, 200]);
    await before.close();
    expect((await rewrap()).out).to.deep.equal([
      'sealed by 2026 now, by 2025 before: 1 signing secret, 1 stored answer, 2 installation secrets',
      'Nothing needs 2025 any more: drop it from sealingKeys.',
    ]);

    const after = await startWith(newest);
    for (const [path, body, first] of [
      ['/v1/webhook_endpoints', ENDPOINT, endpoint],
      ['/v1/charges', sale, charge],
    ] as const) {
      const again = await post(after, path, body);
      expect([again.status, again.text], path).to.deep.equal([200, first.text]);
      expect(again.headers['idempotent-replayed'], path).to.equal('true');
    }
    await after.close();
  });

  it('goes on after a key was lost, by the statements of the guide, with new secrets', async () => {
    const receiver = await startReceiver();
    const before = await startWith(old);
    const acting = { account: before.account, environment: 'test' } as const;
    const { id } = await before.paymount.webhookEndpoints.create(acting, {
      url: receiver.url,
      enabled_events: ['charge.succeeded'],
    });
    await before.close();
    const guide = await readFile(
      new URL('../../docs/how-to/rotate-sealing-keys.md', import.meta.url),
      'utf8',
    );
    const [, sql = ''] = /```sql\n([\s\S]*?)```/.exec(guide) ?? [];
    const [list = '', ...deletes] = sql.split(';');
    expect(await query(database.url, list)).to.deep.equal([
      { account_id: before.account, livemode: false, endpoint_id: id },
    ]);
    for (const statement of deletes) await query(database.url, statement);

    const after = await startWith(newest);
    const rotated = await ask(`${after.url}/v1/webhook_endpoints/${id}/rotate_secret`, {
      body: '',
      key: before.secretKey,
      headers: FORM,
    });
    const input = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };
    await after.paymount.charges.create(acting, input);
    const [request] = await receiver.waitFor(1);
    const { secret } = rotated.json as { secret: string };
    expect(verify({ body: request?.body, headers: request?.headers ?? {}, secret }).type).to.equal(
      'charge.succeeded',
    );
    await after.close();
    await receiver.close();
  });

  it('is refused at the start where a key is missing that anything stored still needs', async () => {
    const app = await startWith(old);
    await ask(`${app.url}/v1/webhook_endpoints`, {
      body: ENDPOINT,
      key: app.secretKey,
      headers: { ...FORM, 'idempotency-key': 'endpoint' },
    });
    await app.close();
    const start = async (...sealingKeys: (typeof old)[]): Promise<string | undefined> =>
      (await startError({ database: database.url, sealingKeys }))?.message;
    expect(await start(newest, old)).to.equal(undefined);
    for (const table of ['endpoint_secrets', 'idempotency_keys', 'installation_secrets']) {
      await query(database.url, `UPDATE paymount.${table} SET kid = '2024' WHERE kid = '2025'`);
      expect(await start(newest, old)).to.equal(
        `Secrets in ${table} that were sealed with the key "2024" cannot be opened. Pass the original key in sealingKeys, after the newest one (without the option: in .paymount/keys). To drop a key, run \`npx paymount secrets rewrap\` first.`,
      );
      await query(database.url, `UPDATE paymount.${table} SET kid = '2025' WHERE kid = '2024'`);
    }
    expect(await start(newest, old)).to.equal(undefined);
  });
});
