import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintKey } from '@paymount/core/access';
import { expect } from 'chai';
import { createSigningSecret } from 'paymount-receiver/internal';
import { Forwarder, forwardAddress } from '../../packages/cli/src/listen/forwarder.ts';
import type { Resolve } from '../../packages/cli/src/loopback.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { paymount } from '../support/run-command.ts';

/** Addresses that are not this machine, or say what they are not. */
const ELSEWHERE = [
  'http://example.com/',
  'https://hooks.example.com/path',
  'http://10.0.0.1/',
  'http://192.168.1.1:3000/',
  'http://169.254.169.254/latest/meta-data/',
  'http://0.0.0.0:3000/',
  'http://0/',
  'http://[::]/',
  'http://[fe80::1]/',
  'http://[fd00:ec2::254]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://128.0.0.1/',
  'http://126.255.255.255/',
  'http://2147483648/',
  'http://0300.0250.0.1/',
  'http://localhost.example.com/',
  'http://127.0.0.1.nip.io/',
  'http://127.0.0.1.example.com/',
  'http://foo.localhost/',
  'http://localhost./',
  'http://localhost.localdomain/',
  'http://intranet/',
  'http://localhost@example.com/',
  'http://127.0.0.1@example.com/',
  'http://127.0.0.1:80@example.com/',
  'http://example.com@127.0.0.1/',
  'http://user:secret@127.0.0.1/',
  'http://127.0.0.1\\@example.com/',
  'http:\\\\127.0.0.1/',
  'http://local\thost/',
  ' http://127.0.0.1/',
  'http://127.0.0.1/#fragment',
  'ftp://127.0.0.1/',
  'file:///etc/passwd',
  'unix:/var/run/docker.sock',
  '//127.0.0.1/',
  '127.0.0.1:3000',
  'http://[fe80::1%25lo]/',
  'http://4294967296/',
  'http://',
  '',
];

/** Other ways to write addresses of this machine. */
const LOOPBACK: Readonly<Record<string, string>> = {
  'http://127.0.0.1:3000/a?b=c': 'http://127.0.0.1:3000/a?b=c',
  'http://127.1/': 'http://127.0.0.1/',
  'http://2130706433/': 'http://127.0.0.1/',
  'http://0x7f.1/': 'http://127.0.0.1/',
  'http://0177.0.0.1/': 'http://127.0.0.1/',
  'http://①②⑦.0.0.1/': 'http://127.0.0.1/',
  'http://127.255.255.254/': 'http://127.255.255.254/',
  'http://LocalHost:80/': 'http://localhost/',
  'https://localhost:8443/': 'https://localhost:8443/',
  'http://[::1]:3000/': 'http://[::1]:3000/',
  'http://[0:0:0:0:0:0:0:1]/': 'http://[::1]/',
};

const EVENT = { id: `evt_${'0'.repeat(26)}`, type: 'charge.succeeded', body: '{}' };

describe('the command that forwards events', function () {
  this.timeout(30_000);
  let folder: string;
  let local: Receiver;
  let api: Receiver;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paymount-forwarding-'));
    local = await startReceiver();
    api = await startReceiver();
  });
  afterEach(async () => {
    await local.close();
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  const environment = (key: string): Record<string, string> => ({
    PAYMOUNT_API_KEY: key,
    PAYMOUNT_BASE_URL: api.url,
    XDG_CONFIG_HOME: folder,
  });

  function forwarder(url: string, resolve?: Resolve): Forwarder {
    const secret = createSigningSecret();
    const stop = new AbortController().signal;
    return new Forwarder({ url, secret, stop, limitMs: 2_000, ...(resolve && { resolve }) });
  }

  it('refuses a live key before it connects to anything', async () => {
    for (const type of ['secret', 'restricted'] as const) {
      const key = mintKey(type, 'live');
      for (const [args, why] of [
        [['listen', '--forward-to', local.url], 'Only events of test are forwarded.'],
        [['trigger', 'charge.succeeded'], 'Events are triggered in test alone.'],
      ] as const) {
        const { exitCode, said } = await paymount(environment(key), ...args);
        expect([exitCode, said]).to.deep.equal([
          2,
          `paymount: PAYMOUNT_API_KEY contains a live key. ${why} Use a key of the test environment.`,
        ]);
      }
    }
    expect([api.connections, local.connections]).to.deep.equal([0, 0]);
    expect(existsSync(join(folder, 'paymount'))).to.equal(false);
  });

  for (const address of ELSEWHERE) {
    it(`refuses to forward to ${JSON.stringify(address)}`, async () => {
      const key = mintKey('secret', 'test');
      const { exitCode, said } = await paymount(
        environment(key),
        'listen',
        `--forward-to=${address}`,
      );
      expect(exitCode, said).to.equal(2);
      expect(said).to.match(/^paymount: --forward-to must /);
      expect(api.connections).to.equal(0);
    });
  }

  it('takes every spelling of this machine as this machine', () => {
    for (const [address, url] of Object.entries(LOOPBACK)) {
      expect(forwardAddress(address), address).to.equal(url);
    }
  });

  it('does not connect to a name that resolves elsewhere, though it resolved to this machine when it was checked', async () => {
    for (const addresses of [
      [{ address: '192.0.2.1', family: 4 }],
      [
        { address: '127.0.0.1', family: 4 },
        { address: '192.0.2.1', family: 4 },
      ],
      [{ address: '2001:db8::1', family: 6 }],
      [{ address: '0.0.0.0', family: 4 }],
      [],
    ]) {
      const url = `http://localhost:${local.port}/`;
      const resolve: Resolve = (_, __, callback) => callback(null, addresses);
      const { status, error } = await forwarder(url, resolve).forward(EVENT);
      expect([status, error]).to.deep.equal([undefined, 'localhost is not this machine']);
    }
    expect(local.connections).to.equal(0);
    const here: Resolve = (_, __, done) => done(null, [{ address: '127.0.0.1', family: 4 }]);
    const { status } = await forwarder(`http://localhost:${local.port}/`, here).forward(EVENT);
    expect(status).to.equal(200);
  });

  it('follows no redirect, to this machine or elsewhere', async () => {
    const other = await startReceiver();
    for (const status of [301, 302, 303, 307, 308]) {
      for (const redirect of [other.url, 'http://192.0.2.1/', 'https://example.com/']) {
        local.script({ redirect, status });
        expect((await forwarder(local.url).forward(EVENT)).status).to.equal(status);
      }
    }
    expect([other.connections, local.requests.length]).to.deep.equal([0, 15]);
    await other.close();
  });

  it('accepts a self-signed certificate only from this machine', async () => {
    const https = await startReceiver({ tls: true });
    try {
      expect((await forwarder(https.url).forward(EVENT)).status).to.equal(200);
      const env = { ...environment(mintKey('secret', 'test')), PAYMOUNT_BASE_URL: https.url };
      const { exitCode, said } = await paymount(env, 'listen', '--forward-to', local.url);
      expect(exitCode).to.equal(1);
      expect(said).to.match(/cannot be reached: .*certificate/i);
      expect(https.requests.length, 'no key was sent').to.equal(1);
    } finally {
      await https.close();
    }
  });

  it('sends its key without TLS only to this machine', async () => {
    for (const base of ['http://api.example.com', 'http://127.0.0.1.nip.io', 'http://0.0.0.0']) {
      const env = { ...environment(mintKey('secret', 'test')), PAYMOUNT_BASE_URL: base };
      for (const args of [
        ['listen', '--forward-to', local.url],
        ['trigger', 'charge.succeeded'],
        ['resend', EVENT.id],
      ]) {
        const { exitCode, said } = await paymount(env, ...args);
        expect(exitCode, said).to.equal(2);
        expect(said).to.include('must begin with https');
      }
    }
  });

  it('forwards no event of live, though the API sends one', async () => {
    const body = JSON.stringify({ ...EVENT, livemode: true });
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' };
    api.script({ status: 200, headers, body: `id: ${EVENT.id}\ndata: ${body}\n\n` });
    const key = mintKey('secret', 'test');
    const { exitCode, said } = await paymount(
      environment(key),
      'listen',
      '--forward-to',
      local.url,
    );
    expect([exitCode, api.requests.length, local.connections]).to.deep.equal([1, 1, 0]);
    expect(said).to.include('The stream sends an event that is not of test.');
  });
});
