import { randomBytes } from 'node:crypto';
import { newId, PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import type { Acting } from 'paymount';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { ask, FORM, postJson, type Reply } from '../support/ask.ts';
import { everyRow } from '../support/canary-remains.ts';
import { fakeClock } from '../support/clock.ts';
import { LiveBank } from '../support/live-bank.ts';
import { paymount } from '../support/run-command.ts';

const CARD = ['4242', '4242', '4242', '4242'];
/** Forms in which a number comes with something beside it. */
const FORMS = [
  CARD.join(''),
  `x${CARD.join('')}y1`,
  `${CARD.join(' ')} 12/30`,
  `0004${CARD.join('')}`,
  CARD.join('\u00a0'),
  CARD.join('.'),
];
/** What would remain of one of them in a table. */
const TRACE = /42\D{0,3}42(?:\D{0,3}|%C2%A0)42\D{0,3}42/;

const refusal = ({ status, error }: Reply): unknown[] => [status, error['code'], error['param']];

describe('texts that are stored in live', () => {
  let app: AdminApp;
  before(async () => {
    app = await startAdminApp({
      environment: 'live',
      paymount: { processors: { live: new LiveBank(fakeClock()) } },
    });
  });
  after(() => app.close());

  const post = (path: string, body: Record<string, string>, headers = {}): Promise<Reply> =>
    ask(`${app.url}${path}`, {
      key: app.secretKey,
      body: new URLSearchParams(body).toString(),
      headers: { ...FORM, ...headers },
    });
  const admin = (path: string, body: object, headers = {}): Promise<Reply> =>
    app.admin(path, { body, headers });

  it('contain no card number, whatever surrounds it and wherever it is sent', async () => {
    const code = 'raw_card_data_not_allowed';
    const shop = { name: 'Shop', country: 'DE', default_currency: 'eur' };
    for (const text of FORMS) {
      const charge = { amount: '1', currency: 'eur', source: 'tok_1' };
      expect(refusal(await post('/v1/charges', { ...charge, description: text }))) //
        .to.deep.equal([400, code, 'description']);
      expect(refusal(await post('/v1/charges', { ...charge, 'metadata[note]': text }))) //
        .to.deep.equal([400, code, 'metadata[note]']);
      expect(refusal(await post('/v1/charges', { ...charge, [`metadata[${text}]`]: 'a' }))) //
        .to.deep.equal([400, code, 'metadata']);
      const url = `https://shop.example/hook?order=${encodeURIComponent(text)}`;
      const hook = { url, 'enabled_events[]': '*' };
      expect(refusal(await post('/v1/webhook_endpoints', hook)), url) //
        .to.deep.equal([400, code, 'url']);
      expect(refusal(await admin('/accounts', { ...shop, name: text }))) //
        .to.deep.equal([400, code, 'name']);
      if (!text.includes('\u00a0')) {
        const keyed = { 'idempotency-key': `order ${text}` };
        expect(refusal(await post('/v1/charges', charge, keyed))) //
          .to.deep.equal([400, code, 'Idempotency-Key']);
        expect(refusal(await admin('/accounts', shop, keyed))) //
          .to.deep.equal([400, code, 'Idempotency-Key']);
      }
    }
    expect(await everyRow(app.databaseUrl)).not.to.match(TRACE);
  });

  it('hold no card number that the host itself passes on', async () => {
    const { accounts, charges, keys } = app.paymount;
    const account = app.account;
    const acting: Acting = { account, environment: 'live' };
    const shop = { name: 'Shop', country: 'DE', default_currency: 'eur' };
    for (const text of FORMS) {
      const made = { account, livemode: false, type: 'secret' } as const;
      const calls: Record<string, () => Promise<unknown>> = {
        name: () => accounts.create({ ...shop, name: text }),
        'name of an account': () => accounts.update(account, { name: text }),
        'name of a key': () => keys.create({ ...made, name: text }),
        description: () =>
          charges.create(acting, { amount: 1, currency: 'eur', source: 'x', description: text }),
      };
      for (const [what, call] of Object.entries(calls)) {
        const error = await call().catch((refused: unknown) => refused);
        expect(PaymountError.is(error) && [error.code, error.param], what).to.deep.equal([
          'raw_card_data_not_allowed',
          what.split(' ')[0],
        ]);
      }
    }
    expect(await everyRow(app.databaseUrl)).not.to.match(TRACE);
  });

  it('hold no card number that an operator writes, but what a processor calls a thing', async () => {
    const number = CARD.join(' ');
    const env = { DATABASE_URL: app.databaseUrl };
    const id = newId('op');
    const settled = { as: 'approved', reason: 'seen' };
    const reply = await app.admin(`/operations/${id}/settle`, {
      body: { ...settled, reason: number },
    });
    expect(refusal(reply)).to.deep.equal([400, 'raw_card_data_not_allowed', 'reason']);
    const known = await app.admin(`/operations/${id}/settle`, {
      body: { ...settled, processor_reference: CARD.join('') },
    });
    expect(refusal(known)).to.deep.equal([404, 'resource_missing', undefined]);
    const ours = await app.admin(`/operations/${id}/settle`, {
      body: { ...settled, processor_reference: app.secretKey },
    });
    expect(refusal(ours)).to.deep.equal([400, 'secret_in_text', 'processor_reference']);
    for (const args of [
      ['accounts', 'create', '--name', number, '--country', 'DE', '--currency', 'eur'],
      ['operations', 'settle', id, '--as', 'approved', '--reason', number],
      ['operations', 'dismiss', id, '--reason', number],
    ]) {
      const { exitCode, err } = await paymount(env, ...args);
      expect([exitCode, err.join().includes('Card numbers')], args.join(' ')).to.deep.equal([
        1,
        true,
      ]);
      expect(err.join()).not.to.include('4242');
    }
    expect(await everyRow(app.databaseUrl)).not.to.match(TRACE);
  });

  it('hold no card number by which a client names itself, nor a place of a leak', async () => {
    const shop = { name: 'Agent', country: 'DE', default_currency: 'eur' };
    const agent = { 'user-agent': `shop/1 ${CARD.join('-')}` };
    expect((await admin('/accounts', shop, agent)).status).to.equal(200);
    expect((await ask(`${app.url}/v1/balance`, { key: app.secretKey, headers: agent })).status) //
      .to.equal(200);
    const made = { account: app.account, livemode: true, type: 'secret' } as const;
    const leaked = await app.paymount.keys.create({ ...made, name: 'a' });
    for (const [source, card] of [
      ['forum', CARD.join('')],
      ['paste', encodeURIComponent(CARD.join('\u00a0'))],
    ]) {
      const report = {
        credential: leaked.secret,
        source,
        url: `https://${source}.example/p/${card}`,
      };
      expect((await admin('/leaks', report)).json).to.include({ matched: true });
    }
    await app.paymount.close();
    const rows = await everyRow(app.databaseUrl);
    expect(rows).to.include('shop/1 ...').and.to.include('https://forum.example/p/...');
    expect(rows).to.include('https://paste.example/p/...');
    expect(rows).not.to.match(TRACE);
  });
});

describe('secrets of ours in texts', () => {
  let app: AdminApp;
  before(async () => {
    app = await startAdminApp();
  });
  after(() => app.close());

  it('are refused in every field, in test too, and repeated nowhere', async () => {
    const made = { account: app.account, livemode: false, type: 'restricted' } as const;
    const { secret } = await app.paymount.keys.create({
      ...made,
      scopes: ['charges:read'],
      name: 'reader',
    });
    const shop = { name: 'Shop', country: 'DE', default_currency: 'eur' };
    for (const text of [
      secret,
      `KEY="${secret}"\n`,
      `https://shop.example/?key=${secret.replaceAll('_', '%5F')}`,
      `my${app.secretKey}`,
      `whsec_${randomBytes(32).toString('base64')}`,
    ]) {
      const charge = { amount: 1, currency: 'eur', source: 'tok_1' };
      const v1 = (body: object): Promise<Reply> =>
        postJson(`${app.url}/v1/charges`, { ...charge, ...body }, { key: app.secretKey });
      const refused: Record<string, Reply> = {
        description: await v1({ description: text }),
        'metadata[note]': await v1({ metadata: { note: text } }),
        metadata: await v1({ metadata: { [text]: 'a' } }),
        name: await app.admin('/accounts', { body: { ...shop, name: text } }),
        source: await app.admin('/leaks', { body: { credential: 'a', source: text } }),
      };
      for (const [param, reply] of Object.entries(refused)) {
        expect(refusal(reply), reply.text).to.deep.equal([400, 'secret_in_text', param]);
        expect(reply.text).not.to.include(text.slice(-30));
      }
      const error = await app.paymount.accounts
        .update(app.account, { name: text })
        .catch((caught: unknown) => caught);
      expect(PaymountError.is(error) && [error.code, error.param]).to.deep.equal([
        'secret_in_text',
        'name',
      ]);
    }
    expect(await everyRow(app.databaseUrl)).not.to.include(secret);
  });

  it('do not include publishable keys, and texts without valid check characters', async () => {
    const key = app.secretKey;
    const other = key.endsWith('0') ? '1' : '0';
    for (const description of [app.publishableKey, key.slice(0, -1) + other, 'sk_test_...']) {
      const body = { amount: 100, currency: 'eur', source: 'tok_unknown', description };
      const reply = await postJson(`${app.url}/v1/charges`, body, { key });
      expect(reply.error['code'], reply.text).to.equal('resource_missing');
    }
  });
});
