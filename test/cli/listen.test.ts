import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { receiver, type WebhookEvent } from 'paymount/receiver';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postForm } from '../support/ask.ts';
import { PAYMOUNT_PROGRAM } from '../support/child-program.ts';
import { makeAccount, makeKey } from '../support/credentials.ts';
import { eventually } from '../support/eventually.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { paymount, toJson } from '../support/run-command.ts';
import { storeEvents } from '../support/store-event.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';
import { type Listening, startListening } from './listening.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LINE = /^20\d\d-\d\d-\d\dT[\d:.]+Z (\S+) (evt_\w{26}) (.+) (\d+) ms$/;

describe('paymount listen', function () {
  this.timeout(30_000);
  let app: TestApp;
  let folder: string;
  let env: Record<string, string>;
  let local: Receiver;
  const running: Listening[] = [];

  before(async () => {
    app = await startApp();
    folder = await mkdtemp(join(tmpdir(), 'paymount-listen-'));
    env = {
      PAYMOUNT_API_KEY: app.secretKey,
      PAYMOUNT_BASE_URL: app.url,
      XDG_CONFIG_HOME: folder,
    };
  });
  beforeEach(async () => {
    local = await startReceiver();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((each) => each.interrupt()));
    await local.close();
  });
  after(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function listen(
    args: readonly string[] = [],
    more: Record<string, string> = {},
  ): Promise<Listening> {
    const given = ['--forward-to', `${local.url}/hooks?a=b`, ...args];
    const listening = startListening({ ...env, ...more }, ...given);
    running.push(listening);
    await listening.waitForRemark(/forwarded to/);
    return listening;
  }

  async function charge(source = 'tok_visa'): Promise<string> {
    const sale = `amount=4200&currency=eur&source=${source}&metadata[note]=caf%C3%A9`;
    const reply = await postForm(`${app.url}/v1/charges`, sale, { key: app.secretKey });
    const id = String(reply.json['id'] ?? reply.error['charge']);
    const { json } = await ask(`${app.url}/v1/events?object_id=${id}`, { key: app.secretKey });
    const [event] = json['data'] as { id: string }[];
    return String(event?.id);
  }

  const eventsIn = (lines: readonly string[]): unknown[] =>
    lines.map((line) => LINE.exec(line)?.[2]);

  it('forwards each event, one after another, in the bytes and with the headers of a delivery', async () => {
    const listening = await listen();
    const ids = [await charge(), await charge()];
    const lines = await listening.waitForLines(2);
    expect(lines.map((line) => LINE.exec(line)?.slice(1, 4))).to.deep.equal([
      ['charge.succeeded', ids[0], '200'],
      ['charge.succeeded', ids[1], '200'],
    ]);
    const [first] = local.requests;
    const { body } = await eventText(ids[0]);
    expect(String(first?.body)).to.equal(body);
    expect([first?.method, first?.path]).to.deep.equal(['POST', '/hooks?a=b']);
    expect(first?.headers).to.include({
      'content-type': 'application/json; charset=utf-8',
      'accept-encoding': 'identity',
      'user-agent': 'Paymount/0.1 (listen)',
      'webhook-id': ids[0],
    });
    for (const name of ['authorization', 'cookie', 'service-delivery', 'service-attempt']) {
      expect(first?.headers, name).to.not.have.property(name);
    }
    expect(await listening.interrupt()).to.equal(0);
  });

  async function eventText(id: string | undefined): Promise<{ body: string }> {
    const { text } = await ask(`${app.url}/v1/events/${id}`, { key: app.secretKey });
    return { body: text };
  }

  it('goes on where it was cut, and forwards nothing twice and nothing of before', async () => {
    await charge();
    const proxy = await openTcpProxy(`${app.url}/`);
    try {
      const listening = await listen([], { PAYMOUNT_BASE_URL: proxy.url });
      const before = await charge();
      await listening.waitForLines(1);
      proxy.cut();
      const between = [await charge(), await charge()];
      await listening.waitForRemark(/The stream was cut: .*Trying again in 2 s\./);
      proxy.mend();
      await listening.waitForLines(3);
      const after = await charge();
      await listening.waitForLines(4);
      expect(eventsIn(listening.out)).to.deep.equal([before, ...between, after]);
      expect(proxy.dialed()).to.be.at.least(2);
    } finally {
      await proxy.close();
    }
  });

  it('loses nothing of what happens during a cut to an account that had no event before', async () => {
    const account = await makeAccount(app.paymount, 'A new shop');
    const { secret } = await makeKey(app.paymount, account);
    const proxy = await openTcpProxy(`${app.url}/`);
    try {
      const more = { PAYMOUNT_API_KEY: secret, PAYMOUNT_BASE_URL: proxy.url };
      const listening = await listen([], more);
      proxy.cut();
      const ids = [...(await storeEvents(app.databaseUrl, { account }))];
      await listening.waitForRemark(/The stream was cut/);
      proxy.mend();
      await listening.waitForLines(1);
      ids.push(...(await storeEvents(app.databaseUrl, { account })));
      await listening.waitForLines(2);
      expect(eventsIn(listening.out)).to.deep.equal(ids);
    } finally {
      await proxy.close();
    }
  });

  it('ends at Ctrl-C though what it forwards to changed the protocol', async () => {
    local.otherwise('upgrade');
    const listening = await listen();
    await charge();
    const [line] = await listening.waitForLines(1);
    expect(line).to.include('failed: it answered 101');
    expect(await listening.interrupt()).to.equal(0);
  });

  it('tells what came of each event, and follows no redirect', async () => {
    const elsewhere = await startReceiver();
    local.script(500, { redirect: elsewhere.url }, 'reset', 204);
    const listening = await listen();
    for (let count = 0; count < 4; count += 1) await charge();
    const lines = await listening.waitForLines(4);
    expect(lines.map((line) => LINE.exec(line)?.[3])).to.deep.equal([
      '500',
      '302 (a redirect, not followed)',
      'failed: the connection was reset (ECONNRESET)',
      '204',
    ]);
    expect(elsewhere.connections).to.equal(0);
    await elsewhere.close();
    await local.close();
    await charge();
    await listening.waitForLines(5);
    expect(listening.out[4]).to.include('failed: nothing listens there (ECONNREFUSED)');
  });

  it('forwards only the types that are named, and prints one object per event with --json', async () => {
    const given = ['--types', 'charge.failed, payout.*', '--json'];
    const listening = startListening(env, '--forward-to', local.url, ...given);
    running.push(listening);
    await eventually(async () => {
      await charge();
      await charge('tok_visa_chargeDeclined');
      return listening.out.length > 0;
    });
    await listening.waitForLines(1);
    const events = listening.out.map((line) => JSON.parse(line));
    expect(events[0]).to.have.all.keys('time', 'type', 'id', 'status', 'ms', 'error');
    expect(events[0]).to.include({ type: 'charge.failed', status: 200, error: null });
    expect(new Set(events.map(({ type }) => type))).to.deep.equal(new Set(['charge.failed']));
    expect(listening.err).to.deep.equal([]);
  });

  it('ends with 1 when its key is revoked, or was no key at all', async () => {
    const { id, secret } = await makeKey(app.paymount, app.account);
    const listening = await listen([], { PAYMOUNT_API_KEY: secret });
    await app.paymount.keys.revoke(id, { reason: 'owner' });
    expect(await listening.ended()).to.equal(1);
    expect(listening.err.at(-1)).to.equal(
      `paymount: The stream has ended. The key ${secret.slice(0, 10)}...${secret.slice(-4)} was revoked.`,
    );
    const again = await paymount(
      { ...env, PAYMOUNT_API_KEY: secret },
      'listen',
      '--forward-to',
      local.url,
    );
    expect(again.exitCode).to.equal(1);
    expect(again.said).to.match(/revoked/);
  });

  it('ends with 1 when the API is not there, or does not let it in', async () => {
    const closed = await startReceiver();
    await closed.close();
    const changing = await startReceiver({ script: ['upgrade'] });
    for (const [more, message] of [
      [{ PAYMOUNT_BASE_URL: closed.url }, /cannot be reached: nothing listens there/],
      [{ PAYMOUNT_BASE_URL: changing.url }, /cannot be reached: it answered 101/],
      [{ PAYMOUNT_BASE_URL: local.url }, /is not Paymount.*answered 200/],
      [{ PAYMOUNT_API_KEY: app.publishableKey }, /publishable key/],
    ] as const) {
      const { exitCode, said } = await paymount(
        { ...env, ...more },
        'listen',
        '--forward-to',
        local.url,
      );
      expect(exitCode, said).to.equal(1);
      expect(said).to.match(message);
    }
    await changing.close();
    const unknown = await paymount(env, 'listen', '--forward-to', local.url, '--types', 'charge.x');
    expect([unknown.exitCode, unknown.err.join()]).to.satisfy(
      ([code, said]: [number, string]) => code === 1 && said.includes('no event type "charge.x"'),
    );
  });

  it('exits with 2, without a request, for a list of types with an empty entry', async () => {
    for (const types of ['', 'charge.*,', ',', 'charge.*, ,payout.paid']) {
      const given = ['--forward-to', local.url, `--types=${types}`];
      const elsewhere = { ...env, PAYMOUNT_BASE_URL: local.url };
      const { exitCode, said } = await paymount(elsewhere, 'listen', ...given);
      expect([exitCode, said]).to.deep.equal([
        2,
        'paymount: --types takes types and families with commas between: charge.*,payout.paid.',
      ]);
    }
    expect(local.connections).to.equal(0);
  });

  it('keeps one secret for this user alone, and shows it when asked', async () => {
    const [one, other] = await Promise.all([
      paymount(env, 'listen', '--print-secret'),
      paymount(env, 'listen', '--print-secret', '--json'),
    ]);
    const secret = one.out[0] ?? '';
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect([one.exitCode, one.out.length, one.err]).to.deep.equal([0, 1, []]);
    expect(toJson(other)).to.deep.equal({ secret });
    const file = await stat(join(folder, 'paymount', 'listen-secret'));
    expect((file.mode & 0o777).toString(8)).to.equal('600');
    expect(((await stat(join(folder, 'paymount'))).mode & 0o777).toString(8)).to.equal('700');
  });

  describe('as a process', () => {
    let child: ChildProcess;
    let server: Server;
    const received: WebhookEvent[] = [];

    afterEach(async () => {
      if (child.exitCode === null) child.kill('SIGKILL');
      server.close();
      server.closeAllConnections();
    });

    it('is verified by paymount/receiver, says no secret, and ends with 0 at Ctrl-C', async () => {
      const { out } = await paymount(env, 'listen', '--print-secret');
      const secret = out[0] ?? '';
      const handle = receiver({ secret, onEvent: (event) => received.push(event) });
      server = createServer((request, response) => void handle(request, response));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const command = [PAYMOUNT_PROGRAM, 'listen', '--forward-to', `http://localhost:${port}`];
      child = spawn(process.execPath, command, {
        cwd: ROOT,
        env: { PATH: process.env['PATH'], ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      const told = (pattern: RegExp): Promise<void> =>
        new Promise((resolve, reject) => {
          const timer = setTimeout(() => reject(new Error(`No ${pattern}: ${said}`)), 15_000);
          const look = (): void => {
            if (!pattern.test(said)) return;
            clearTimeout(timer);
            resolve();
          };
          for (const stream of [child.stdout, child.stderr]) {
            stream?.on('data', (part: Buffer) => {
              said += part.toString();
              look();
            });
          }
        });
      await told(/forwarded to/);
      const id = await charge();
      await told(/ 200 \d+ ms/);
      expect(received.map((event) => event.id)).to.deep.equal([id]);
      const left = once(child, 'exit');
      child.kill('SIGINT');
      expect(await left).to.deep.equal([0, null]);
      for (const canary of [app.secretKey, secret, secret.slice(6, 30)]) {
        expect(said).to.not.include(canary);
      }
    });
  });
});
