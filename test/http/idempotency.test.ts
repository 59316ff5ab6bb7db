import { expect } from 'chai';
import pg from 'pg';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postForm, postJson, type Reply } from '../support/ask.ts';
import { isNightly } from '../support/depth.ts';

const SALE = 'amount=4200&currency=eur&source=tok_visa';
/** Of a race. */
const ROUNDS = isNightly ? 20 : 3;
const AT_ONCE = 50;

describe('an Idempotency-Key, on PostgreSQL', () => {
  let app: TestApp;
  let database: pg.Client;
  before(async () => {
    app = await startApp();
    database = new pg.Client({ connectionString: app.databaseUrl });
    await database.connect();
  });
  after(async () => {
    await database.end();
    await app.close();
  });

  const send = (path: string, body: string, key: string): Promise<Reply> =>
    postForm(app.url + path, body, {
      key: app.secretKey,
      headers: { 'idempotency-key': key },
    });
  const count = async (table: string): Promise<number> => {
    const { rows } = await database.query<{ count: string }>(
      `SELECT count(*) FROM paymount.${table}`,
    );
    return Number(rows[0]?.count);
  };
  const expectReplay = (second: Reply, first: Reply): void => {
    expect(second.text).to.equal(first.text);
    expect(second.status).to.equal(first.status);
    expect(first.headers).not.to.have.property('idempotent-replayed');
    expect(second.headers['idempotent-replayed']).to.equal('true');
    expect(second.headers['original-request']).to.equal(first.headers['request-id']);
    expect(second.headers['request-id']).not.to.equal(first.headers['request-id']);
  };

  it(`makes one charge of ${AT_ONCE} requests at once, and every answer the same or a 409`, async function () {
    this.timeout(60_000);
    for (let round = 0; round < ROUNDS; round += 1) {
      const charges = await count('charges');
      const replies = await Promise.all(
        Array.from({ length: AT_ONCE }, () => send('/v1/charges', SALE, `race ${round}`)),
      );
      const bodies = new Set(
        replies.filter(({ status }) => status === 200).map(({ text }) => text),
      );
      expect(bodies.size).to.equal(1);
      for (const { status, headers, text } of replies) {
        expect(status, text).to.be.oneOf([200, 409]);
        if (status === 409) expect(headers['retry-after']).to.equal('1');
      }
      expect(await count('charges')).to.equal(charges + 1);
    }
  });

  it('answers the same bytes while an expanded answer is being stored', async () => {
    const body = `${SALE}&expand[]=payment_method&expand[]=balance_transaction&expand[]=refunds`;
    for (let round = 0; round < ROUNDS; round += 1) {
      const replies: Reply[] = [];
      const insist = async (): Promise<void> => {
        for (let time = 0; time < 5; time += 1) {
          replies.push(await send('/v1/charges', body, `expanded ${round}`));
        }
      };
      await Promise.all(Array.from({ length: 10 }, insist));
      const answers = replies.filter(({ status }) => status !== 409);
      expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
      expect(answers[0]?.json['payment_method']).to.be.an('object');
    }
  });

  it('replays each kind of answer byte for byte', async () => {
    const charge = await send('/v1/charges', SALE, 'a');
    expectReplay(await send('/v1/charges', SALE, 'a'), charge);
    const id = String(charge.json['id']);
    const writes: [string, string][] = [
      [`/v1/charges/${id}`, 'metadata[a]=1'],
      ['/v1/refunds', `charge=${id}&amount=200`],
      ['/v1/payment_methods', 'type=card&card[token]=tok_visa'],
      [
        '/v1/tokens',
        'card[number]=4242424242424242&card[exp_month]=12&card[exp_year]=2044&card[cvc]=123',
      ],
      ['/v1/charges', `${SALE}&expand[]=payment_method&expand[]=balance_transaction`],
      ['/v1/charges', `${SALE}&capture=false`],
    ];
    for (const [index, [path, body]] of writes.entries()) {
      const first = await send(path, body, `write ${index}`);
      expect(first.status, first.text).to.equal(200);
      expectReplay(await send(path, body, `write ${index}`), first);
    }
  });

  it('replays a signing secret, and keeps it sealed', async () => {
    const body = 'url=http%3A%2F%2F127.0.0.1%3A9%2F&enabled_events[]=payout.paid';
    const first = await send('/v1/webhook_endpoints', body, 'endpoint');
    const secret = String(first.json['secret']);
    expect(secret).to.match(/^whsec_/);
    expectReplay(await send('/v1/webhook_endpoints', body, 'endpoint'), first);
    const { rows } = await database.query<{ text: string }>(
      'SELECT t::text AS text FROM paymount.idempotency_keys t',
    );
    expect(rows.some(({ text }) => text.includes(secret))).to.equal(false);
    const id = String(first.json['id']);
    const remove = () =>
      ask(`${app.url}/v1/webhook_endpoints/${id}`, {
        method: 'DELETE',
        key: app.secretKey,
        headers: { 'idempotency-key': 'remove' },
      });
    const gone = await remove();
    expect(gone.json).to.deep.equal({ id, object: 'webhook_endpoint', deleted: true });
    expectReplay(await remove(), gone);
  });

  it('replays a secret to the credential that made it, and to no other of the account', async () => {
    const replaced = await app.paymount.keys.create({
      account: app.account,
      livemode: false,
      type: 'secret',
      name: 'rotated later',
    });
    const rotated = await app.paymount.keys.rotate(replaced.id, { overlap_seconds: 3_600 });
    const url = 'url=http%3A%2F%2F127.0.0.1%3A9%2F&enabled_events[]=payout.paid';
    const made = await send('/v1/webhook_endpoints', url, 'by one key');
    const rotate = `/v1/webhook_endpoints/${String(made.json['id'])}/rotate_secret`;
    const remade = await send(rotate, 'overlap_seconds=60', 'new secret by one key');
    expect(remade.status, remade.text).to.equal(200);
    for (const [first, path, body, idempotencyKey] of [
      [made, '/v1/webhook_endpoints', url, 'by one key'],
      [remade, rotate, 'overlap_seconds=60', 'new secret by one key'],
    ] as const) {
      for (const key of [replaced.secret, rotated.secret]) {
        const reply = await postForm(app.url + path, body, {
          key,
          headers: { 'idempotency-key': idempotencyKey },
        });
        expect([reply.status, reply.error['type'], reply.error['code']]).to.deep.equal([
          400,
          'idempotency_error',
          'idempotency_credential_mismatch',
        ]);
        expect(reply.text).not.to.include('whsec_');
      }
      expectReplay(await send(path, body, idempotencyKey), first);
    }
  });

  it('takes the successor of a key for another credential, also while both work', async () => {
    const made = {
      account: app.account,
      livemode: false,
      type: 'secret',
      name: 'rotated with an overlap',
    } as const;
    const old = await app.paymount.keys.create(made);
    const ask = (key: string): Promise<Reply> =>
      postForm(
        `${app.url}/v1/webhook_endpoints`,
        'url=http%3A%2F%2F127.0.0.1%3A9%2F&enabled_events[]=*',
        {
          key,
          headers: { 'idempotency-key': 'before the rotation' },
        },
      );
    const first = await ask(old.secret);
    expect(first.status, first.text).to.equal(200);
    const { secret } = await app.paymount.keys.rotate(old.id, { overlap_seconds: 3_600 });
    const refused = await ask(secret);
    expect(refused.error).to.deep.include({
      code: 'idempotency_credential_mismatch',
      message:
        'Another credential made the request under this Idempotency-Key, and its answer shows a ' +
        'secret. Only that credential may replay it; send a new Idempotency-Key, or rotate the secret.',
    });
    expectReplay(await ask(old.secret), first);
  });

  it('takes two tokens of different cards for different requests', async () => {
    const card = 'card[number]=4242424242424242&card[exp_month]=12&card[exp_year]=2044';
    const first = await send('/v1/tokens', `${card}&card[cvc]=123`, 'one token');
    expect(first.status, first.text).to.equal(200);
    for (const other of [
      `${card.replace('4242424242424242', '5555555555554444')}&card[cvc]=123`,
      `${card}&card[cvc]=124`,
      card,
    ]) {
      const reply = await send('/v1/tokens', other, 'one token');
      expect([reply.status, reply.error['code']], reply.text).to.deep.equal([
        400,
        'idempotency_key_mismatch',
      ]);
    }
    expectReplay(await send('/v1/tokens', `${card}&card[cvc]=123`, 'one token'), first);
    const { rows } = await database.query<{ text: string }>(
      'SELECT t::text AS text FROM paymount.idempotency_keys t',
    );
    expect(rows.some(({ text }) => text.includes('4242424242424242'))).to.equal(false);
  });

  it('replays a decline, and an error met in execution', async () => {
    for (const [path, body, status, code] of [
      ['/v1/charges', 'amount=1&currency=eur&source=tok_visa_chargeDeclined', 402, 'card_declined'],
      ['/v1/charges', 'amount=1&currency=eur&payment_method=pm_nothing', 400, 'resource_missing'],
      ['/v1/refunds', 'charge=ch_nothing', 400, 'resource_missing'],
      ['/v1/charges/ch_nothing/capture', '', 404, 'resource_missing'],
      [
        '/v1/tokens',
        'card[number]=4242424242424241&card[exp_month]=1&card[exp_year]=2044',
        402,
        'incorrect_number',
      ],
    ] as const) {
      const first = await send(path, body, `${code} ${path}`);
      expect([first.status, first.error['code']], first.text).to.deep.equal([status, code]);
      expectReplay(await send(path, body, `${code} ${path}`), first);
    }
  });

  it('means the same for JSON as for a form, in any order, with quotes or without', async () => {
    const first = await send('/v1/charges', `${SALE}&metadata[b]=2&metadata[a]=1`, 'both');
    const json = {
      metadata: { a: '1', b: '2' },
      source: 'tok_visa',
      currency: 'eur',
      amount: 4200,
    };
    const second = await postJson(`${app.url}/v1/charges`, json, {
      key: app.secretKey,
      headers: { 'idempotency-key': '"both"' },
    });
    expectReplay(second, first);
  });

  it('refuses another amount, route or expansion, and says which rule it broke', async () => {
    await send('/v1/charges', SALE, 'used');
    for (const [path, body] of [
      ['/v1/charges', SALE.replace('4200', '4201')],
      ['/v1/charges', `${SALE}&expand[]=payment_method`],
      ['/v1/payment_methods', 'type=card&card[token]=tok_visa'],
    ] as const) {
      const reply = await send(path, body, 'used');
      expect(reply.status).to.equal(400);
      expect(reply.error).to.include({
        type: 'idempotency_error',
        code: 'idempotency_key_mismatch',
      });
    }
  });

  it('is refused for another route with the same parameters', async () => {
    const first = await send('/v1/charges/ch_nothing/capture', '', 'a route');
    expect(first.status).to.equal(404);
    const second = await send('/v1/charges/ch_nothing/cancel', '', 'a route');
    expect([second.status, second.error['code']]).to.deep.equal([400, 'idempotency_key_mismatch']);
  });

  it('of a browser, which anybody can send, never stands in the way of a server', async () => {
    const card = 'type=card&card[token]=tok_visa';
    const squatted = await postForm(`${app.url}/v1/payment_methods`, card, {
      key: app.publishableKey,
      headers: { 'idempotency-key': 'order-1001' },
    });
    expect(squatted.status).to.equal(200);
    const charge = await send('/v1/charges', SALE, 'order-1001');
    expect(charge.status, charge.text).to.equal(200);
    const again = await postForm(`${app.url}/v1/payment_methods`, card, {
      key: app.publishableKey,
      headers: { 'idempotency-key': 'order-1001' },
    });
    expectReplay(again, squatted);
  });

  it('is one for all keys of an account, and another in another account', async () => {
    const other = await app.paymount.accounts.create({
      name: 'Other shop',
      country: 'DE',
      default_currency: 'eur',
    });
    const { secret } = await app.paymount.keys.create({
      account: other.id,
      livemode: false,
      type: 'secret',
      name: 'other',
    });
    const mine = await send('/v1/charges', SALE, 'shared');
    const made = { account: app.account, livemode: false, type: 'secret', name: 'second' } as const;
    const second = await app.paymount.keys.create(made);
    const headers = { 'idempotency-key': 'shared' };
    expectReplay(
      await postForm(`${app.url}/v1/charges`, SALE, { key: second.secret, headers }),
      mine,
    );
    const theirs = await postForm(`${app.url}/v1/charges`, SALE, {
      key: secret,
      headers: { 'idempotency-key': 'shared' },
    });
    expect(theirs.status).to.equal(200);
    expect(theirs.json['id']).not.to.equal(mine.json['id']);
  });
});
