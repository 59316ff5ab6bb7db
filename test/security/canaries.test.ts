import { randomBytes, randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { createPaymount } from 'paymount';
import pg from 'pg';
import { hasRedis, isolatedRedis } from '../faults/isolated-redis.ts';
import { ask, postForm, postJson, type Reply } from '../http/ask.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { makeSealingKeys } from '../support/make.ts';
import { startReceiver } from '../support/receiver.ts';
import { writtenLog } from '../support/written-log.ts';
import { formsOf, seek } from './canary.ts';

const CARDS = ['4242424242424242', '4000000000000002', '378282246310005', '4111111111111111'];

describe('secrets', () => {
  const canaries = new Map<string, string>();
  const log = writtenLog();
  const answers: string[] = [];
  const errors: string[] = [];
  let tables: string;
  let redisContents = '';
  let app: TestApp;

  before(async function () {
    this.timeout(30_000);
    const redis = hasRedis() ? await isolatedRedis() : undefined;
    const sealingKeys = makeSealingKeys();
    app = await startApp({
      paymount: {
        sealingKeys,
        logger: log.logger,
        ...(redis && { redis: redis.url }),
      },
    });
    canaries.set('sealing key', sealingKeys[0]?.key ?? '');
    canaries.set('secret key', app.secretKey);
    for (const number of CARDS) canaries.set(`card ${number.slice(0, 6)}`, number);
    const receiver = await startReceiver();
    // Retries are planned, in Redis where there is one.
    receiver.otherwise(500);
    try {
      await useEverything(receiver.url);
      await goWrong();
      await receiver.waitFor(4);
      await app.worker.drain();
      tables = await everyRow(app.databaseUrl);
      if (redis) redisContents = await everyRedisKey(redis.url);
    } finally {
      await app.close();
      await receiver.close();
      await redis?.stop();
    }
  });

  /** Every answer but the ones that show a new secret. */
  async function keep(reply: Promise<Reply>): Promise<Reply> {
    const answer = await reply;
    answers.push(JSON.stringify(answer.headers) + answer.text);
    return answer;
  }

  async function makeKey(name: string, revoke: boolean): Promise<string> {
    const { key, secret } = await app.paymount.keys.create({
      accountId: app.account,
      environment: 'test',
      type: 'restricted',
      scopes: ['charges:read'],
      name,
      createdBy: 'test',
    });
    canaries.set(name, secret);
    if (revoke) await app.paymount.keys.revoke(key.id, 'leak');
    return secret;
  }

  async function useEverything(receiverUrl: string): Promise<void> {
    const key = { key: app.secretKey };
    const idempotent = { ...key, headers: { 'idempotency-key': randomUUID() } };
    const endpoint = { url: receiverUrl, enabled_events: ['*'] };
    for (const options of [key, idempotent]) {
      // The one answer that shows it.
      const made = await postJson(`${app.url}/v1/webhook_endpoints`, endpoint, options);
      expect(made.status, made.text).to.equal(200);
      canaries.set(`signing secret ${canaries.size}`, String(made.json['secret']));
      await keep(ask(`${app.url}/v1/webhook_endpoints/${String(made.json['id'])}`, key));
    }
    await keep(ask(`${app.url}/v1/webhook_endpoints`, key));
    for (const number of CARDS) {
      const card = { number, exp_month: 12, exp_year: 2040 };
      await keep(postJson(`${app.url}/v1/payment_methods`, { type: 'card', card }, idempotently()));
      const token = await keep(postJson(`${app.url}/v1/tokens`, { card }, key));
      const paid = { amount: 4200, currency: 'eur', source: token.json['id'] ?? 'tok_none' };
      await keep(postJson(`${app.url}/v1/charges`, paid, idempotently()));
    }
    await keep(ask(`${app.url}/v1/charges?expand[]=data.payment_method`, key));
    await keep(ask(`${app.url}/v1/events`, key));
  }

  function idempotently() {
    return { key: app.secretKey, headers: { 'idempotency-key': randomUUID() } };
  }

  async function goWrong(): Promise<void> {
    const key = { key: app.secretKey };
    const weak = await makeKey('restricted key', false);
    const revoked = await makeKey('revoked key', true);
    for (const credential of [weak, revoked, app.secretKey.slice(0, -1), `${app.secretKey}x`]) {
      await keep(postJson(`${app.url}/v1/charges`, {}, { key: credential }));
    }
    await keep(ask(`${app.url}/v1/charges?key=${app.secretKey}`, key));
    await keep(ask(`${app.url}/v1/charges/${app.secretKey}`, key));
    // Broken bodies that hold what must not be repeated.
    const broken = `{"card":{"number":"${CARDS[0]}","exp_month":}`;
    await keep(postJson(`${app.url}/v1/tokens`, broken, key));
    await keep(postForm(`${app.url}/v1/tokens`, `card[number]=${CARDS[0]}&card[number]=x`, key));
    await keep(postJson(`${app.url}/v1/tokens`, { card: { number: Number(CARDS[0]) } }, key));
    for (const card of [{ number: CARDS[0] }, { number: `${CARDS[0]}0` }, { number: [CARDS[1]] }]) {
      const acting = { account: app.account, environment: 'test' } as const;
      await app.paymount.paymentMethods.create(acting, { type: 'card', card }).catch(remember);
    }
    await missDatabase();
    await breakDatabase();
    await keep(postJson(`${app.url}/v1/charges`, withCard(), idempotently()));
  }

  function remember(error: unknown): void {
    errors.push(inspect(error, { depth: 10, showHidden: true }));
  }

  function withCard(): object {
    return { amount: 1, currency: 'eur', payment_method: 'pm_card_visa', description: 'after' };
  }

  /** A database that is not there: drivers like to repeat where they tried to connect. */
  async function missDatabase(): Promise<void> {
    const password = randomBytes(16).toString('hex');
    canaries.set('database password', password);
    for (const migrate of [false, true]) {
      const database = `postgres://paymount:${password}@127.0.0.1:1/none`;
      const sealingKeys = makeSealingKeys();
      await createPaymount({ database, migrate, sealingKeys, logger: log.logger }).catch(remember);
    }
  }

  /** Statements fail in the middle of requests: drivers like to repeat what they were sent. */
  async function breakDatabase(): Promise<void> {
    const client = new pg.Client({ connectionString: app.databaseUrl });
    await client.connect();
    try {
      await client.query('ALTER TABLE paymount.payment_methods RENAME TO gone');
      const card = { number: CARDS[0], exp_month: 12, exp_year: 2040 };
      await keep(postJson(`${app.url}/v1/payment_methods`, { type: 'card', card }, idempotently()));
      await client.query('ALTER TABLE paymount.gone RENAME TO payment_methods');
      await client.query('ALTER TABLE paymount.endpoint_secrets RENAME TO gone');
      const endpoint = { url: 'http://127.0.0.1:9', enabled_events: ['*'] };
      await keep(postJson(`${app.url}/v1/webhook_endpoints`, endpoint, idempotently()));
      await client.query('ALTER TABLE paymount.gone RENAME TO endpoint_secrets');
    } finally {
      await client.end();
    }
  }

  it('can be found by this test in any form', () => {
    const secret = 'sk_test_canary/+ 0123456789';
    const one = new Map([['canary', secret]]);
    for (const form of formsOf(secret)) expect(seek(`..${form}..`, one)).to.have.lengthOf(1);
    for (const around of ['', 'x', 'xy', 'xyz']) {
      const hidden = Buffer.from(`${around}${secret} and more`).toString('base64');
      expect(seek(hidden, one), `after ${around.length}`).to.have.lengthOf(1);
    }
    expect(seek('nothing here', one)).to.deep.equal([]);
  });

  it('are many, and were used', () => {
    expect(canaries.size).to.be.at.least(10);
    for (const [name, secret] of canaries) expect(secret.length, name).to.be.at.least(15);
    expect(answers.filter((answer) => answer.includes('"status":"succeeded"'))).to.not.be.empty;
    expect(answers.filter((answer) => answer.includes('internal_error'))).to.not.be.empty;
    expect(errors).to.have.lengthOf.at.least(5);
  });

  it('are in no log line, not even of a failing database', () => {
    const lines = log.text();
    expect(lines).to.include('A request failed unexpectedly.');
    expect(seek(lines, canaries)).to.deep.equal([]);
  });

  it('are in no answer but the one that shows a new one', () => {
    expect(seek(answers.join('\n'), canaries)).to.deep.equal([]);
  });

  it('are in no error that the host’s own code catches', () => {
    expect(seek(errors.join('\n'), canaries)).to.deep.equal([]);
  });

  it('are in no row of any table', () => {
    expect(tables).to.include('charge.succeeded');
    expect(seek(tables, canaries)).to.deep.equal([]);
  });

  it('are in no key of Redis', function () {
    if (!hasRedis()) this.skip();
    expect(redisContents).to.include('dlv_');
    expect(seek(redisContents, canaries)).to.deep.equal([]);
  });
});

async function everyRow(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows: names } = await client.query<{ name: string }>(
      `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n
       ON n.oid = c.relnamespace WHERE n.nspname = 'paymount' AND c.relkind IN ('r', 'p')`,
    );
    const parts: string[] = [];
    for (const { name } of names) {
      const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      for (const { row } of rows) parts.push(row);
      // A bytea shows as hex; a text inside it must be found, too.
      const { rows: bytes } = await client.query<{ text: string }>(
        `SELECT string_agg(encode(convert_to(t::text, 'UTF8'), 'escape'), '') AS text FROM ${name} t`,
      );
      parts.push(bytes[0]?.text ?? '');
    }
    return parts.join('\n');
  } finally {
    await client.end();
  }
}

async function everyRedisKey(url: string): Promise<string> {
  const client = new Redis(url);
  try {
    const parts: string[] = [];
    for (const key of await client.keys('*')) {
      parts.push(key, (await client.dumpBuffer(key))?.toString('latin1') ?? '');
    }
    return parts.join('\n');
  } finally {
    client.disconnect();
  }
}
