import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { parse } from 'yaml';
import { startApp, type TestApp } from '../support/app.ts';
import { childProgram } from '../support/child-program.ts';
import { eventually } from '../support/eventually.ts';
import { accepts, freePort } from '../support/local-program.ts';
import { ROOT, readPage } from '../support/read-pages.ts';

const SERVER = 'example-host/src/server.ts';
const BODY = 'amount=4200&currency=eur&payment_method=pm_card_visa';
const LIMIT_MS = 120_000;
const START_LIMIT_MS = 60_000;
/** The program names its one sealing key so. */
const KID = '2026';

interface Service {
  readonly environment: Record<string, string>;
  readonly stop_grace_period: string;
  readonly healthcheck: { readonly test: readonly unknown[] };
}

const read = (file: string): string => readFileSync(ROOT + file, 'utf8');

describe('the processes of the example host', function () {
  this.timeout(LIMIT_MS);
  let app: TestApp;
  let sealingKey: string;
  let child: ChildProcess | undefined;

  before(async () => {
    sealingKey = randomBytes(32).toString('base64');
    app = await startApp({ paymount: { sealingKeys: [{ kid: KID, key: sealingKey }] } });
  });
  afterEach(async () => {
    if (child?.exitCode === null && child.kill('SIGKILL')) await once(child, 'close');
  });
  after(() => app.close());

  async function start(kind: string): Promise<{ port: number; probes: number; said(): string }> {
    const [port, probes] = [await freePort(), await freePort()];
    const env = {
      PATH: process.env['PATH'] ?? '',
      NODE_ENV: 'production',
      PROCESS: kind,
      DATABASE_URL: app.databaseUrl,
      SEALING_KEY: sealingKey,
      PORT: String(port),
      PROBES_PORT: String(probes),
    };
    child = spawn(process.execPath, [await childProgram(new URL(SERVER, `file://${ROOT}`))], {
      env,
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (bytes: Buffer) => {
        text += bytes.toString();
      });
    }
    const ready = async (): Promise<boolean> => {
      if (child?.exitCode !== null) throw new Error(`It ended: ${text}`);
      const response = await fetch(`http://127.0.0.1:${probes}/health/ready`).catch(
        () => undefined,
      );
      return response?.status === 200;
    };
    await eventually(ready, Boolean, START_LIMIT_MS);
    return { port, probes, said: () => text };
  }

  it('answer what has begun when they are stopped, end event streams, and exit with 0', async () => {
    const { port, said } = await start('both');
    const authorization = `Authorization: Bearer ${app.secretKey}\r\n`;
    const request = open(port, [
      `POST /payments/v1/charges HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}`,
      'Content-Type: application/x-www-form-urlencoded\r\n',
      `Content-Length: ${BODY.length}\r\n\r\n${BODY.slice(0, 10)}`,
    ]);
    const stream = open(port, [
      `GET /payments/v1/events/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}\r\n`,
    ]);
    await eventually(() => stream.said().includes('HTTP/1.1 200'), Boolean, START_LIMIT_MS);

    child?.kill('SIGTERM');
    await eventually(async () => !(await accepts(port)), Boolean, START_LIMIT_MS);
    request.socket.write(BODY.slice(10));

    expect(await once(child as ChildProcess, 'close'), said()).to.deep.equal([0, null]);
    expect(request.said())
      .to.match(/^HTTP\/1\.1 200 /)
      .and.to.contain('"status":"succeeded"');
    expect(stream.socket.destroyed || stream.socket.readableEnded).to.equal(true);
  });

  for (const [kind, serves] of [
    ['api', true],
    ['worker', false],
  ] as const) {
    it(`serve the API as \`${kind}\`: ${serves}`, async () => {
      const { port, said } = await start(kind);
      expect(await accepts(port)).to.equal(serves);
      child?.kill('SIGTERM');
      expect(await once(child as ChildProcess, 'close'), said()).to.deep.equal([0, null]);
    });
  }

  it('are shown in the guide as they are', () => {
    const blocks = readPage('docs/how-to/operate.md').blocks.map(({ code }) => code);
    expect(blocks).to.include(read(SERVER));
    expect(blocks).to.include(read('example-host/Dockerfile'));
    expect(blocks).to.include(read('example-host/compose.yaml'));
  });

  it('get from compose.yaml only settings that they read, and the time that stopping takes', () => {
    const { services } = parse(read('example-host/compose.yaml'), { merge: true });
    const processes: readonly Service[] = [services.api, services.worker];
    for (const { environment, stop_grace_period, healthcheck } of processes) {
      expect(healthcheck.test.filter((word) => typeof word !== 'string')).to.deep.equal([]);
      expect(stop_grace_period).to.equal('45s');
      expect(Object.keys(environment).sort()).to.deep.equal([
        'DATABASE_URL',
        'PROCESS',
        'SEALING_KEY',
      ]);
    }
    expect(read(SERVER)).to.contain(
      "DATABASE_URL = '', SEALING_KEY = '', REDIS_URL, PROCESS = 'both'",
    );
  });
});

function open(port: number, lines: readonly string[]): { socket: Socket; said(): string } {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString();
  });
  socket.on('error', () => undefined);
  socket.write(lines.join(''));
  return { socket, said: () => text };
}
