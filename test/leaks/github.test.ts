import { once } from 'node:events';
import { connect } from 'node:net';
import { mintKey } from '@paymount/core/access';
import { expect } from 'chai';
import express from 'express';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, type Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { type GithubSigner, startGithubSigner } from '../support/github-signer.ts';
import { type WrittenLog, writtenLog } from '../support/written-log.ts';

const MINUTE = 60_000;

const redact = (key: string): string => `sk_test_pm...${key.slice(-4)}`;

describe('POST /leaks/github', () => {
  let github: GithubSigner;
  let log: WrittenLog;
  let clock: FakeClock;
  let app: TestApp;

  before(async () => {
    github = await startGithubSigner();
    log = writtenLog();
    clock = fakeClock();
    app = await startApp({
      paymount: {
        leaks: { github: { keysUrl: github.keysUrl } },
        logger: log.logger,
        clock,
      },
      mount: (host, paymount) => {
        host.use('/early', paymount.leakRouter());
        host.use('/kept', express.json({ verify: keepRawBody }), paymount.leakRouter());
        host.use('/raw', express.raw({ type: () => true }), paymount.leakRouter());
        host.use('/late', express.json(), paymount.leakRouter());
        host.use('/late', (_request, response) => response.sendStatus(418));
        host.use(paymount.router({ environment: 'test' }));
      },
    });
  });

  after(() => Promise.all([app.close(), github.close()]));

  async function newKey(): Promise<string> {
    const made = { account: app.account, livemode: false, name: 'leaky' } as const;
    return (await app.paymount.keys.create({ ...made, type: 'secret' })).secret;
  }

  function keepRawBody(request: object, _response: unknown, body: Buffer): void {
    Object.assign(request, { rawBody: body });
  }

  const match = (token: string, url = 'https://github.example/a/blob/1/f') => ({
    token,
    type: 'paymount_credential',
    url,
    source: 'content',
  });

  function post(body: string, headers = github.headersFor(body), mount = 'early'): Promise<Reply> {
    return ask(`${app.url}/${mount}/leaks/github`, { method: 'POST', body, headers, key: '' });
  }

  const keyWorks = async (key: string): Promise<number> =>
    (await ask(`${app.url}/v1/balance`, { key })).status;

  it('revokes the keys of a signed report, and says which were real', async () => {
    const stranger = mintKey('secret', 'test');
    const key = await newKey();
    const body = JSON.stringify([
      match(key),
      match(stranger, ''),
      match('no credential at all'),
      match(app.publishableKey),
    ]);
    const { status, json, headers } = await post(body);
    expect(status).to.equal(200);
    expect(json).to.deep.equal([
      feedback(key, 'true_positive'),
      feedback(stranger, 'false_positive'),
      feedback('no credential at all', 'false_positive'),
      feedback(app.publishableKey, 'true_positive'),
    ]);
    expect(headers['request-id']).to.match(/^req_/);
    expect(await keyWorks(key)).to.equal(401);
    const written = log.text();
    expect(written).to.include('"action":"revoked"');
    for (const seen of [key, stranger, app.publishableKey]) {
      expect(written.includes(seen), 'a credential was logged').to.equal(false);
    }
  });

  const feedback = (token: string, label: string) => ({
    token_raw: token,
    token_type: 'paymount_credential',
    label,
  });

  it('answers a report again as it did before, and changes nothing more', async () => {
    const key = await newKey();
    const body = JSON.stringify([match(key)]);
    const first = await post(body);
    const again = await post(body);
    expect(again.json).to.deep.equal(first.json);
    const told = log
      .text()
      .split('\n')
      .filter((line) => line.includes(redact(key)));
    expect(told).to.have.length(1);
  });

  it('takes the raw bytes that a parser of the host kept', async () => {
    for (const mount of ['kept', 'raw']) {
      const body = JSON.stringify([match('nothing')], undefined, 2);
      expect(await post(body, undefined, mount), mount).to.include({ status: 200 });
    }
  });

  it('answers 503 when a parser of the host ate the raw bytes', async () => {
    for (const body of [
      JSON.stringify([match('nothing')]),
      '{"broken',
      `["${'x'.repeat(200_000)}"]`,
    ]) {
      const { status, error } = await post(body, undefined, 'late');
      expect(status).to.equal(503);
      expect(error['code']).to.equal('raw_body_unavailable');
    }
  });

  it('answers GitHub while others keep sending unsigned reports', async () => {
    const { port } = new URL(app.url);
    const sockets = Array.from({ length: 50 }, () => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write('POST /early/leaks/github HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n[');
      return socket;
    });
    try {
      // Each was answered without its body.
      await Promise.all(sockets.map((socket) => once(socket, 'data')));
      expect(await post(JSON.stringify([match('nothing')]))).to.include({ status: 200 });
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  it('refuses what GitHub did not sign', async () => {
    const body = JSON.stringify([match(app.secretKey)]);
    const signed = github.headersFor(body);
    const id = 'github-public-key-identifier';
    const signature = 'github-public-key-signature';
    const { [id]: _, ...withoutId } = signed;
    const { [signature]: __, ...withoutSignature } = signed;
    const noId = 'The header Github-Public-Key-Identifier is';
    const noSignature = 'The header Github-Public-Key-Signature is';
    const notOfBody = 'Github-Public-Key-Signature holds no signature of these bytes by that key.';
    const identifier =
      'it holds a key_identifier of the published list: 1 to 128 letters, digits, _ and -.';
    const der =
      'it holds an ECDSA signature (P-256, SHA-256) of the raw body, in DER, written in base64.';
    type Forgery = readonly [sent: string, headers: Record<string, string | string[]>, why: string];
    const forgeries: Record<string, Forgery> = {
      'no identifier': [body, withoutId, `${noId} missing; ${identifier}`],
      'no signature': [body, withoutSignature, `${noSignature} missing; ${der}`],
      'another body': [`${body} `, signed, notOfBody],
      'an unknown key': [
        body,
        { ...signed, [id]: 'f'.repeat(64) },
        'Its key is not in the published list.',
      ],
      'another signature': [body, { ...signed, [signature]: sign(`${body} `) }, notOfBody],
      'no base64': [body, { ...signed, [signature]: '***' }, `${noSignature} malformed; ${der}`],
      'no DER': [body, { ...signed, [signature]: 'AAAAAAAAAAAAAAAA' }, notOfBody],
      'an empty signature': [
        body,
        { ...signed, [signature]: '' },
        `${noSignature} malformed; ${der}`,
      ],
      'two signatures': [
        body,
        { ...signed, [signature]: [sign(body), sign(body)] },
        'The header Github-Public-Key-Signature came more than once.',
      ],
      'a path as identifier': [
        body,
        { ...signed, [id]: '../../etc/passwd' },
        `${noId} malformed; ${identifier}`,
      ],
    };
    for (const [name, [sent, headers, why]] of Object.entries(forgeries)) {
      const url = `${app.url}/early/leaks/github`;
      const { status, error } = await ask(url, { method: 'POST', body: sent, headers, key: '' });
      expect([status, error['code']], name).to.deep.equal([401, 'leak_report_unverified']);
      expect(error['message'], name).to.equal(
        `The report is not signed by a known key of the reporter. ${why}`,
      );
    }
    expect(await keyWorks(app.secretKey)).to.equal(200);
  });

  const sign = (body: string): string =>
    github.headersFor(body)['github-public-key-signature'] ?? '';

  it('accepts the sample of the partner program with the key that signed it', async () => {
    // GitHub: Secret scanning partner program, "Sample HTTP POST sent to verify endpoint".
    const id = 'bcb53661c06b4728e59d897fb6165d5c9cda0fd9cdf9d09ead458168deb7518c';
    const key = [
      '-----BEGIN PUBLIC KEY-----',
      'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYAGMWO8XgCamYKMJS6jc/qgvSlAd',
      'AjPuDPRcXU22YxgBrz+zoN19MzuRyW87qEt9/AmtoNP5GrobzUvQSyJFVw==',
      '-----END PUBLIC KEY-----',
      '',
    ].join('\n');
    const list = { public_keys: [{ key_identifier: id, key, is_current: true }] };
    clock.advance(MINUTE);
    github.list.script({ status: 200, body: JSON.stringify(list) });
    const body =
      '[{"source":"commit","token":"some_token","type":"some_type","url":"https://example.com/base-repo-url/"}]';
    const { status, json } = await post(body, {
      'github-public-key-identifier': id,
      'github-public-key-signature':
        'MEQCIQDaMKqrGnE27S0kgMrEK0eYBmyG0LeZismAEz/BgZyt7AIfXt9fErtRS4XaeSt/AO1RtBY66YcAdjxji410VQV4xg==',
    });
    expect(status).to.equal(200);
    expect(json).to.deep.equal([
      { token_raw: 'some_token', token_type: 'some_type', label: 'false_positive' },
    ]);
  });

  it('asks for the list of keys once, again after a minute, and by its ETag', async () => {
    clock.advance(MINUTE);
    github.rotate();
    const before = github.list.requests.length;
    const asked = (): number => github.list.requests.length - before;
    await post('[]');
    await post('[]');
    expect(asked()).to.equal(1);
    expect(github.list.requests.at(-1)?.headers['user-agent']).to.equal('paymount');
    github.rotate();
    expect(await post('[]')).to.include({ status: 401 });
    expect(asked()).to.equal(1);
    clock.advance(MINUTE);
    expect(await post('[]')).to.include({ status: 200 });
    expect(asked()).to.equal(2);
    expect(github.list.requests.at(-1)?.headers['if-none-match']).to.match(/^"[0-9a-f]{16}"$/);
    clock.advance(61 * MINUTE);
    expect(await post('[]')).to.include({ status: 200 });
    expect(asked()).to.equal(3);
  });

  it('answers 503 when the list cannot be had, and goes on with the one it has', async () => {
    clock.advance(25 * 60 * MINUTE);
    github.list.script(500, 'reset', { status: 200, body: '{"public_keys":1}' });
    for (const time of ['first', 'second', 'third']) {
      const { status, error, headers } = await post('[]');
      expect([status, error['code']], time).to.deep.equal([503, 'unavailable']);
      expect(headers['retry-after'], time).to.equal('60');
      clock.advance(MINUTE);
    }
    expect(await post('[]')).to.include({ status: 200 });
    github.list.otherwise(500);
    clock.advance(23 * 60 * MINUTE);
    expect(await post('[]')).to.include({ status: 200 });
    clock.advance(60 * MINUTE);
    expect(await post('[]')).to.include({ status: 503 });
    clock.advance(MINUTE);
    github.listen();
  });

  it('refuses a signed body that is not a report', async () => {
    for (const body of ['{}', '"text"', 'not json', '']) {
      expect((await post(body)).error['code'], body).to.equal('invalid_json');
    }
    for (const body of ['[1]', '[null]', '[{"token":1,"type":"t"}]', '[{"token":"t"}]']) {
      const { status, error } = await post(body);
      expect([status, error['code'], error['param']]).to.deep.equal([
        400,
        'parameter_invalid',
        '[0]',
      ]);
    }
  });

  it('revokes the good matches of a report that holds broken ones', async () => {
    const key = await newKey();
    const { status, json } = await post(JSON.stringify([null, match(key), { token: 7 }]));
    expect([status, json]).to.deep.equal([200, [feedback(key, 'true_positive')]]);
    expect(await keyWorks(key)).to.equal(401);
    expect(log.text()).to.include('"passed_over":2');
  });

  it('takes a mebibyte, and no more', async () => {
    const padded = (bytes: number): string => `[]${' '.repeat(bytes - 2)}`;
    expect(await post(padded(1_048_576))).to.include({ status: 200 });
    expect((await post(padded(1_048_577))).error['code']).to.equal('body_too_large');
  });

  it('answers a report of 5,000 matches with three seconds of processor time', async () => {
    const matches = Array.from({ length: 5_000 }, (_, index) =>
      match(mintKey('secret', 'live'), `https://github.example/${index}`),
    );
    const key = await newKey();
    const body = JSON.stringify([...matches, match(key)]);
    await post('[]');
    // The time on the clock depends on what else the machine does.
    const before = process.cpuUsage();
    const { status, json } = await post(body);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).to.be.below(3_000);
    expect(status).to.equal(200);
    expect(json).to.have.length(5_001);
    expect(await keyWorks(key)).to.equal(401);
  });

  it('takes POST alone, and leaves other paths to the host', async () => {
    const { status, headers } = await ask(`${app.url}/early/leaks/github`, { key: '' });
    expect(status).to.equal(405);
    expect(headers.allow).to.equal('POST');
    for (const path of ['/late/leaks/gitlab', '/late/leaks', '/late/leaks/github/1']) {
      const request = {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json' },
      };
      const response = await fetch(app.url + path, request);
      expect(response.status, path).to.equal(418);
    }
  });
});
