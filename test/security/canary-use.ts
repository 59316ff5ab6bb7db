import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { mintKey } from '@paymount/core/access';
import { createPaymount } from 'paymount';
import pg from 'pg';
import { ask, postForm, postJson, type Reply } from '../support/ask.ts';
import { makeKey, oauthCredentials } from '../support/credentials.ts';
import { AUDIENCE } from '../support/issuer.ts';
import { makeSealingKeys } from '../support/make.ts';
import type { CanaryHost } from './canary-host.ts';

const CARDS = ['4242424242424242', '4000000000000002', '378282246310005', '4111111111111111'];
const [CARD = ''] = CARDS;

/** What was seen while the canaries were used, but for the answers that show a new secret. */
export interface Seen {
  readonly answers: string[];
  /** As the host's own code catches them, in all that can be seen of them. */
  readonly errors: string[];
  /** Where files were left. */
  readonly folder: string;
}

/** Uses every canary as it is meant, and in every way that goes wrong. */
export async function useCanaries(host: CanaryHost): Promise<Seen> {
  const folder = await mkdtemp(join(tmpdir(), 'paymount-canaries-'));
  const use = new CanaryUse(host, { answers: [], errors: [], folder });
  await use.endpoints();
  await use.keys();
  await use.cards();
  await use.admins();
  await use.leaks();
  await use.mistakes();
  await use.swallowedSecrets();
  await use.outages();
  await use.files();
  return use.seen;
}

class CanaryUse {
  readonly seen: Seen;
  readonly #host: CanaryHost;
  readonly #url: string;
  readonly #key: string;

  constructor(host: CanaryHost, seen: Seen) {
    this.#host = host;
    this.seen = seen;
    this.#url = `${host.app.url}/test`;
    this.#key = host.app.secretKey;
    for (const number of CARDS) host.canaries.set(`card ${number.slice(0, 6)}`, number);
    host.canaries.set('secret key', this.#key);
  }

  async #keep(reply: Promise<Reply>): Promise<Reply> {
    const answer = await reply;
    this.seen.answers.push(JSON.stringify(answer.headers) + answer.text);
    return answer;
  }

  #remember(error: unknown): void {
    this.seen.errors.push(inspect(error, { depth: 10, showHidden: true }));
  }

  #idempotently(key = this.#key) {
    return { key, headers: { 'idempotency-key': randomUUID() } };
  }

  #keepSecret(name: string, { json, status, text }: Reply): string {
    if (status !== 200) throw new Error(`${name}: ${status} ${text}`);
    this.#host.canaries.set(name, String(json['secret']));
    return String(json['id']);
  }

  async endpoints(): Promise<void> {
    const hooks = `${this.#url}/v1/webhook_endpoints`;
    const hook = { url: this.#host.receiver.url, enabled_events: ['*'] };
    const key = { key: this.#key };
    const first = this.#keepSecret('signing secret', await postJson(hooks, hook, key));
    const again = this.#idempotently();
    this.#keepSecret('signing secret, idempotently', await postJson(hooks, hook, again));
    this.#keepSecret(
      'signing secret, rotated',
      await postJson(`${hooks}/${first}/rotate_secret`, {}, this.#idempotently()),
    );
    await this.#keep(postJson(`${hooks}/${first}`, { description: 'x' }, this.#idempotently()));
    await this.#keep(ask(`${hooks}/${first}`, key));
    await this.#keep(ask(hooks, key));
  }

  async keys(): Promise<void> {
    const { paymount, account, canaries, clock } = this.#host;
    const soon = new Date(clock.now().getTime() + 60_000);
    for (const [name, facts] of Object.entries({
      'restricted key': { type: 'restricted', scopes: ['charges:read'] },
      'live secret key': { environment: 'live' },
      'live restricted key': { environment: 'live', type: 'restricted' },
      'revoked key': {},
      'expired key': { expiresAt: soon },
      'key that was rotated': {},
    } as const)) {
      const { id, secret } = await makeKey(paymount, account, facts);
      canaries.set(name, secret);
      if (name.startsWith('revoked')) await paymount.keys.revoke(id, { reason: 'owner' });
      if (!name.endsWith('rotated')) continue;
      const { secret: successor } = await paymount.keys.rotate(id, {
        overlap_seconds: 60,
      });
      canaries.set('key that took its place', successor);
    }
    clock.advance(60_000);
    for (const { what, secret } of oauthCredentials()) canaries.set(what, secret);
    canaries.set('guessed key', mintKey('secret', 'test'));
    for (const [name, secret] of canaries) {
      if (!/key|credential/.test(name) || name.startsWith('sealing')) continue;
      for (const mount of ['test', 'live']) {
        const url = `${this.#host.app.url}/${mount}/v1/charges`;
        await this.#keep(ask(url, { key: secret }));
        await this.#keep(postJson(url, {}, { key: secret }));
        await this.#keep(ask(`${url}/${secret}`, { key: secret }));
        await this.#keep(ask(`${url}?key=${encodeURIComponent(secret)}`, { key: this.#key }));
        await this.#keep(ask(url, { key: `${secret}x` }));
        await this.#keep(ask(url, { key: '', headers: { authorization: secret } }));
        await this.#keep(ask(url, { key: '', headers: { cookie: secret, 'x-api-key': secret } }));
      }
    }
    await this.#keep(ask(`${this.#url}/v1/api_keys?limit=100`, { key: this.#key }));
  }

  async cards(): Promise<void> {
    const url = this.#url;
    for (const number of CARDS) {
      const card = { number, exp_month: 12, exp_year: 2040 };
      await this.#keep(
        postJson(`${url}/v1/payment_methods`, { type: 'card', card }, this.#idempotently()),
      );
      const token = await this.#keep(postJson(`${url}/v1/tokens`, { card }, { key: this.#key }));
      const paid = { amount: 4200, currency: 'eur', source: token.json['id'] ?? 'tok_none' };
      await this.#keep(postJson(`${url}/v1/charges`, paid, this.#idempotently()));
      const live = { key: this.#host.canaries.get('live secret key') ?? '' };
      await this.#keep(postJson(`${this.#host.app.url}/live/v1/tokens`, { card }, live));
    }
    await this.#keep(ask(`${url}/v1/charges?expand[]=data.payment_method`, { key: this.#key }));
    await this.#keep(ask(`${url}/v1/events`, { key: this.#key }));
  }

  async admins(): Promise<void> {
    const { account, canaries } = this.#host;
    const owner = { account, livemode: false };
    const made = await this.#admin('/keys', { ...owner, type: 'secret', name: 'Server' });
    const id = this.#keepSecret('key that an admin made', made);
    this.#keepSecret('key that an admin rotated', await this.#admin(`/keys/${id}/rotate`, {}));
    const hook = { url: this.#host.receiver.url, enabled_events: ['*'] };
    const endpoint = await this.#admin('/endpoints', { ...owner, ...hook });
    const endpointId = this.#keepSecret('signing secret that an admin made', endpoint);
    const rotated = await this.#admin(`/endpoints/${endpointId}/rotate_secret`, {});
    this.#keepSecret('signing secret that an admin rotated', rotated);
    for (const list of ['keys', 'endpoints', 'deliveries', 'audit', 'accounts', 'health', 'me']) {
      await this.#keep(this.#admin(`/${list}`));
    }
    const token = await this.#token();
    canaries.set('token of an admin', token);
    canaries.set('signature of that token', token.slice(token.lastIndexOf('.') + 1));
    const base = `${this.#host.app.url}/admin`;
    await this.#keep(ask(`${base}/me`, { key: token }));
    for (const changed of [`${token}x`, token.slice(0, -9), `${token}.x`]) {
      await this.#keep(ask(`${base}/me`, { key: changed }));
    }
    await this.#keep(ask(`${base}/me?access_token=${token}`, { key: '' }));
    await this.#keep(ask(`${base}/keys/${token}`, { key: token }));
    await this.#keep(ask(`${base}/keys/${this.#key}`, { key: this.#key }));
    await this.#keep(ask(`${this.#url}/v1/charges`, { key: token }));
  }

  async #token(): Promise<string> {
    const { clock, issuer } = this.#host;
    const seconds = Math.floor(clock.now().getTime() / 1_000);
    return issuer.sign({
      iss: issuer.issuer,
      aud: AUDIENCE,
      sub: 'ada',
      jti: randomUUID(),
      iat: seconds,
      exp: seconds + 600,
      auth_time: seconds,
      roles: ['admin'],
    });
  }

  async #admin(path: string, body?: object): Promise<Reply> {
    const url = `${this.#host.app.url}/admin${path}`;
    const options = this.#idempotently(await this.#token());
    return body === undefined ? ask(url, options) : postJson(url, body, options);
  }

  /** Reported by GitHub, by an admin and by the host's own code, and found in an address. */
  async leaks(): Promise<void> {
    const { paymount, account, canaries, github, app } = this.#host;
    const names = ['key that GitHub found', 'key that an admin reported', 'key that leaked'];
    for (const name of names) canaries.set(name, (await makeKey(paymount, account)).secret);
    const [found = '', reported = '', leaked = ''] = names.map((name) => canaries.get(name) ?? '');
    const place = (secret: string): string => `https://gist.example/raw?leak=${secret}#${secret}`;
    const report = [{ token: found, type: 'x', url: place(found), source: 'content' }];
    const body = JSON.stringify(report);
    // Its answer repeats the token to GitHub alone, who asks for that.
    await ask(`${app.url}/leaks/github`, {
      method: 'POST',
      headers: github.headersFor(body),
      body,
      key: '',
    });
    const broken = body.replace('content', 'contents');
    const headers = github.headersFor(body);
    await this.#keep(
      ask(`${app.url}/leaks/github`, { method: 'POST', headers, body: broken, key: '' }),
    );
    for (const credential of [reported, canaries.get('signing secret') ?? '', 'nothing']) {
      const sent = { credential, source: 'wiki', url: place(credential) };
      await this.#keep(this.#admin('/leaks', sent));
    }
    await paymount.leaks.report([{ credential: leaked, source: 'scan', url: place(leaked) }]);
    await this.#keep(this.#admin('/leaks?limit=100'));
    await this.#keep(ask(`${this.#url}/v1/charges?key=${reported}`, { key: this.#key }));
  }

  async mistakes(): Promise<void> {
    const key = { key: this.#key };
    const tokens = `${this.#url}/v1/tokens`;
    // Broken bodies that hold what must not be repeated.
    const broken = `{"card":{"number":"${CARD}","exp_month":}`;
    await this.#keep(postJson(tokens, broken, key));
    await this.#keep(postForm(tokens, `card[number]=${CARD}&card[number]=x`, key));
    await this.#keep(postJson(tokens, { card: { number: Number(CARD) } }, key));
    await this.#keep(ask(`${this.#url}/v1/charges/${CARD}`, key));
    for (const secret of [CARD, this.#key, this.#host.canaries.get('signing secret') ?? '']) {
      await this.#keep(postJson(tokens, { [secret]: 1 }, key));
      await this.#keep(postForm(tokens, `card[${encodeURIComponent(secret)}]=1`, key));
      await this.#keep(postJson(`${this.#url}/v1/charges`, { expand: [secret] }, key));
      const sale = { amount: 1, currency: secret, payment_method: secret, source: secret };
      await this.#keep(postJson(`${this.#url}/v1/charges`, sale, key));
      const named = { amount: 1, currency: 'eur', metadata: { [secret]: 1 } };
      await this.#keep(postJson(`${this.#url}/v1/charges`, named, key));
      const hook = { url: secret, enabled_events: [secret] };
      await this.#keep(postJson(`${this.#url}/v1/webhook_endpoints`, hook, key));
      const types = { url: this.#host.receiver.url, enabled_events: [secret] };
      await this.#keep(postJson(`${this.#url}/v1/webhook_endpoints`, types, key));
      await this.#keep(this.#admin('/keys', { account: secret, livemode: false, type: secret }));
      await this.#keep(this.#admin(`/keys?account=${CARD}&type=${CARD}`));
    }
    for (const card of [{ number: CARD }, { number: `${CARD}0` }, { number: [CARDS[1]] }]) {
      const acting = { account: this.#host.account, environment: 'test' } as const;
      const { paymentMethods } = this.#host.paymount;
      await paymentMethods
        // What JavaScript lets through.
        .create(acting, { type: 'card', card: card as unknown as { token: string } })
        .catch((error: unknown) => this.#remember(error));
    }
  }

  /** Somebody put a secret behind other characters, as a part of a name, of a value, of a header. */
  async swallowedSecrets(): Promise<void> {
    const { canaries } = this.#host;
    const charges = `${this.#url}/v1/charges`;
    const key = { key: this.#key };
    const sale = { amount: 1, currency: 'eur' };
    for (const secret of [CARD, this.#key, canaries.get('signing secret') ?? '']) {
      for (const text of [`pm_${secret}`, `x_${secret}`, `a${secret}`, `ab_x${secret}_y`]) {
        const encoded = encodeURIComponent(text);
        await this.#keep(ask(`${charges}/${encoded}`, key));
        await this.#keep(ask(`${charges}?${encoded}=1`, key));
        await this.#keep(ask(`${charges}?created[${encoded}]=1`, key));
        await this.#keep(ask(`${charges}?expand[]=${encoded}&charge=${encoded}`, key));
        await this.#keep(postForm(charges, `${encoded}=1`, key));
        await this.#keep(postJson(charges, { ...sale, [text]: 1 }, this.#idempotently()));
        for (const change of [{ payment_method: text }, { metadata: { [text]: 1 } }]) {
          await this.#keep(postJson(charges, { ...sale, ...change }, this.#idempotently()));
        }
        await this.#keep(postJson(`${this.#url}/v1/refunds`, { charge: text }, key));
        await this.#keep(this.#admin(`/keys/${encoded}`));
      }
      if (secret !== CARD) await this.#inHeaders(secret);
    }
  }

  /** What is kept of headers: who changed something, and what a key was used by last. */
  async #inHeaders(secret: string): Promise<void> {
    const { paymount, account, app } = this.#host;
    for (const text of [secret, `shop/1.0 x_${secret}`, `a${secret}`]) {
      const headers = { 'user-agent': text, origin: text, 'request-id': text, referer: text };
      const used = await makeKey(paymount, account);
      this.#host.canaries.set(`key that ${this.#host.canaries.size} was used by`, used.secret);
      await this.#keep(ask(`${this.#url}/v1/charges`, { key: used.secret, headers }));
      const revoke = `${this.#url}/v1/api_keys/${used.id}/revoke`;
      await this.#keep(postJson(revoke, {}, { key: this.#key, headers }));
      const changed = `${app.url}/admin/accounts/${account}`;
      const named = { key: await this.#token(), headers };
      await this.#keep(postJson(changed, { name: 'Renamed' }, named));
      const again = { key: this.#key, headers: { ...headers, 'idempotency-key': text } };
      await this.#keep(postJson(`${this.#url}/v1/charges`, {}, again));
    }
  }

  /** Drivers like to repeat where they tried to connect, and what they were sent. */
  async outages(): Promise<void> {
    const { canaries, log, databaseUrl } = this.#host;
    const missing = `missing-${randomUUID()}`;
    canaries.set('password of a database that is not there', missing);
    for (const migrate of [false, true]) {
      const database = `postgres://paymount:${missing}@127.0.0.1:1/none`;
      const sealingKeys = makeSealingKeys();
      await createPaymount({ database, migrate, sealingKeys, logger: log.logger }).catch(
        (error: unknown) => this.#remember(error),
      );
    }
    const wrong = `redis://:wrong-${randomUUID()}@127.0.0.1:1`;
    canaries.set('password of a Redis that is not there', new URL(wrong).password);
    const other = await createPaymount({
      database: databaseUrl,
      redis: wrong,
      sealingKeys: makeSealingKeys(),
      logger: log.logger,
    }).catch((error: unknown) => this.#remember(error));
    await other?.close();
    await this.#breakDatabase();
  }

  async #breakDatabase(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#host.databaseUrl });
    await client.connect();
    try {
      const card = { number: CARD, exp_month: 12, exp_year: 2040 };
      const hook = { url: 'http://127.0.0.1:9', enabled_events: ['*'] };
      for (const [table, path, body] of [
        ['payment_methods', '/v1/payment_methods', { type: 'card', card }],
        ['endpoint_secrets', '/v1/webhook_endpoints', hook],
      ] as const) {
        await client.query(`ALTER TABLE paymount.${table} RENAME TO gone`);
        await this.#keep(postJson(this.#url + path, body, this.#idempotently()));
        await client.query(`ALTER TABLE paymount.gone RENAME TO ${table}`);
      }
    } finally {
      await client.end();
    }
    const sale = { amount: 1, currency: 'eur', payment_method: 'pm_card_visa' };
    await this.#keep(postJson(`${this.#url}/v1/charges`, sale, this.#idempotently()));
  }

  /** A host that gives no keys to seal with has some made, in a file. */
  async files(): Promise<void> {
    const { databaseUrl, log } = this.#host;
    const cwd = process.cwd();
    process.chdir(this.seen.folder);
    try {
      const made = await createPaymount({ database: databaseUrl, logger: log.logger }).catch(
        (error: unknown) => this.#remember(error),
      );
      await made?.close();
    } finally {
      process.chdir(cwd);
    }
  }
}
