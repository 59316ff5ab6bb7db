import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { childProgram, PAYMOUNT_PROGRAM } from '../support/child-program.ts';
import { eventually } from '../support/eventually.ts';
import { readPage } from '../support/read-pages.ts';
import { expectStrictClient, type OAuthFacts } from './strict-client.ts';

const DEMO = new URL('../../example-host/src/demo.ts', import.meta.url);
const LIMIT_MS = 120_000;

interface Demo {
  readonly child: ChildProcess;
  said(): string;
}

interface DemoFile {
  readonly pid: number;
  readonly environments: Record<string, Record<string, string>>;
  readonly receiver: { readonly url: string };
  readonly management: { readonly baseUrl: string; readonly token: string };
  readonly oauth: OAuthFacts;
  readonly account: string;
  readonly databaseUrl: string;
  readonly sealingKeysFile: string;
}

describe('npm run demo', function () {
  this.timeout(LIMIT_MS);
  let folder: string;
  /** The latest one. */
  let started: ChildProcess | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paymount demo '));
  });

  afterEach(async () => {
    // A test that failed half-way leaves its demo running.
    if (started?.exitCode === null && started.kill('SIGINT')) await once(started, 'close');
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (change: { args?: string[]; port?: string }): Promise<Demo> => {
    const { args = [], port = '0' } = change;
    const { DATABASE_URL: _, REDIS_URL: __, ...nothing } = process.env;
    const env = { ...nothing, PORT: port };
    const child = spawn(process.execPath, [await childProgram(DEMO), ...args], {
      cwd: folder,
      env,
    });
    started = child;
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        text += bytes.toString();
      });
    }
    return { child, said: () => text };
  };

  it('shows each step once, ends with 0 and leaves no process', async () => {
    // As earlier demos left it, without the name of the key.
    const key = newKey();
    const keysFile = await keepKeys(folder, key);
    const { child, said } = await start({ args: ['--once'] });
    const family = watchFamily(child);
    const [code] = await once(child, 'close');
    expect(said().match(/✔/g), withoutKeys(said())).to.have.length(20);
    expect(code).to.equal(0);
    expect(readFileSync(keysFile, 'utf8') === `shop:${key}\n`, 'the key has a name').to.equal(true);
    await allGone(family());
  });

  it('says so when a demo runs here already, leaves its file to it and has its own', async () => {
    await mkdir(join(folder, '.paymount'));
    const file = join(folder, '.paymount/demo.json');
    await writeFile(file, JSON.stringify({ pid: process.pid, mine: true }, null, 2));
    const { child, said } = await start({ args: ['--once'] });
    const closed = once(child, 'close');
    const name = `.paymount/demo-${child.pid}.json`;
    const own = join(folder, name);
    await Promise.race([closed, eventually(() => existsSync(own), Boolean, LIMIT_MS)]);
    expect(JSON.parse(readFileSync(own, 'utf8'))).to.include({ pid: child.pid });
    expect(await closed).to.deep.equal([0, null]);
    expect(said()).to.include(
      `  Another demo runs here (pid ${process.pid}) and keeps .paymount/demo.json.\n  This one has ${name} in its place;`,
    );
    expect(readFileSync(file, 'utf8')).to.include('mine');
    expect(existsSync(own)).to.equal(false);
  });

  it('refuses flags that it does not know, and names those that it has', async () => {
    const { child, said } = await start({ args: ['--once', '--ones'] });
    expect(await once(child, 'close')).to.deep.equal([2, null]);
    expect(said()).to.equal(
      'The demo does not know --ones. Its flags:\n  --once    end after the last step\n' +
        '  --week    begin with a week of traffic, which takes about a minute\n',
    );
  });

  it('ends quietly when its reader has seen enough', async () => {
    const { child, said } = await start({});
    const family = watchFamily(child);
    const closed = once(child, 'close');
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await closed).to.deep.equal([0, null]);
    expect(said())
      .to.match(/^Paymount: /)
      .and.not.to.include('EPIPE');
    await allGone(family());
  });

  it('ends with 1 and the reason when it cannot start', async () => {
    const { child, said } = await start({ args: ['--once'], port: 'many' });
    expect(await once(child, 'close')).to.deep.equal([1, null]);
    expect(said()).to.include('PORT is "many"; it must be a number from 0 to 65535.');
  });

  it('stays up, tells programs where, prints commands that work, and ends on the SIGINTs of Ctrl-C', async () => {
    const keys = [newKey(), newKey()];
    const keysFile = await keepKeys(folder, `2026:${keys[0]},shop:${keys[1]}\n`);
    await installCommand(folder);
    const { child, said } = await start({});
    const family = watchFamily(child);
    const closed = once(child, 'close');
    await Promise.race([closed, eventually(() => said().includes('Ctrl-C'), Boolean, LIMIT_MS)]);
    const file = join(folder, '.paymount/demo.json');
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const demo = JSON.parse(readFileSync(file, 'utf8')) as DemoFile;
    expect(demo.pid).to.equal(child.pid);
    expect(demo.receiver.url).to.match(/^http:\/\/127\.0\.0\.1:\d+\/webhooks$/);
    for (const environment of ['test', 'live']) {
      const { baseUrl, secretKey, publishableKey } = demo.environments[environment] ?? {};
      expect(baseUrl).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(secretKey?.startsWith(`sk_${environment}_`)).to.equal(true);
      expect(publishableKey?.startsWith(`pk_${environment}_`)).to.equal(true);
    }
    const known = ['pid', 'environments', 'receiver', 'management', 'oauth', 'dashboard'];
    expect(demo).to.have.all.keys(...known, 'account', 'databaseUrl', 'sealingKeysFile');
    expect(demo.sealingKeysFile).to.equal(keysFile);
    expect(await expectAdmin(demo)).to.include({ sealing_key: '2026' });
    const issuer = demo.environments['test']?.['baseUrl'] ?? '';
    await expectStrictClient(issuer, demo.account, demo.oauth);
    expect(await readLimits(demo)).to.equal('"key";q=2000;w=2, "account";q=4000;w=2');
    const commands = said().match(/^ {2}curl .*$/gm) ?? [];
    expect(commands).to.have.length(8);
    for (const command of commands) {
      expect(JSON.parse(shell(`${command} --fail -sS`, folder))).to.be.an('object');
    }
    const [line = '', ...others] = said().match(/^ {2}npm run .*$/gm) ?? [];
    expect(others).to.deep.equal([]);
    expect(shell(line, folder)).to.match(/^key_\w+ +sk_test_\S+ .* Demo, to be rotated by hand$/m);
    const tried = tryGuides(folder);
    expect(tried).to.match(/^key_\w+ +sk_test_\S+ .* Demo, to be rotated by hand$/m);
    expect(tried).to.include('"object":"admin"').and.to.include('"url":"/audit"');
    expect(tried).to.match(/evt_\w+ dispute\.created$/m);
    const connect = /^http\S+\/connect$/m.exec(tried)?.[0] ?? '';
    expect(showPage(new URL('/', connect).href, folder)).to.include('<a href="/connect">');
    const byHand = /^http\S+\/oauth\/authorize\?\S+$/m.exec(tried)?.[0] ?? '';
    expect(showPage(byHand, folder)).to.include('<h1>Log in to the tea shop</h1>');
    expect(tried).to.match(
      /2026 {2}.* signing secrets, 1 installation secret, \d+ \S+( \S+)* {2}newest$/m,
    );
    const told = [said(), tried, JSON.stringify(demo)].join();
    expect(keys.map((key) => told.includes(key))).to.deep.equal([false, false]);
    // The terminal sends one, and npm passes it on as another.
    child.kill('SIGINT');
    const again = setInterval(() => child.kill('SIGINT'), 20);
    expect(await closed.finally(() => clearInterval(again))).to.deep.equal([0, null]);
    await allGone(family());
    expect(existsSync(file)).to.equal(false);
  });
});

/** Does what needs every right of an admin, and a token that serves for more than one such call. */
async function expectAdmin({ management: { baseUrl, token } }: DemoFile): Promise<unknown> {
  const admin = async (path: string, fields?: Record<string, string>): Promise<unknown> => {
    const response = await fetch(baseUrl + path, {
      headers: { authorization: `Bearer ${token}` },
      ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
    });
    expect(response.status, path).to.equal(200);
    return response.json();
  };
  const health = await admin('/health');
  expect(health).to.include({ object: 'health', status: 'ok' });
  const { data } = (await admin('/accounts')) as { data: { id: string }[] };
  const account = data[0]?.id ?? '';
  const made = await admin('/keys', { account, livemode: 'true', type: 'secret', name: 'Live' });
  const { id } = made as { id: string };
  expect(await admin(`/keys/${id}/rotate`, {})).to.include({ livemode: true, replaces: id });
  expect(await admin(`/keys/${id}/revoke`, {})).to.include({ id, status: 'revoked' });
  expect(await admin(`/audit/verify`, {})).to.deep.include({ faults: [] });
  const stranger = await fetch(`${baseUrl}/keys`, { headers: { authorization: 'Bearer guess' } });
  expect(stranger.status).to.equal(401);
  return health;
}

/** What the reference of rate limits says of the demo. */
async function readLimits({ environments: { test } }: DemoFile): Promise<string | null> {
  const { baseUrl, secretKey } = test ?? {};
  const headers = { authorization: `Bearer ${secretKey}` };
  return (await fetch(`${baseUrl}/v1/charges`, { headers })).headers.get('ratelimit-policy');
}

function newKey(): string {
  return randomBytes(32).toString('base64');
}

/** Leaves sealing keys where the demo keeps them. @returns the file */
async function keepKeys(folder: string, text: string): Promise<string> {
  const file = join(folder, '.paymount/demo-sealing-key');
  await mkdir(dirname(file), { mode: 0o700 });
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

/** Makes the folder look like a clone: `npx paymount` there runs the command as it was built. */
async function installCommand(folder: string): Promise<void> {
  const bin = join(folder, 'node_modules/.bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private":true,"scripts":{"build":"true"}}');
  const program = `'${process.execPath}' '${PAYMOUNT_PROGRAM}'`;
  await writeFile(join(bin, 'paymount'), `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 });
}

/** Pastes what the pages say, and asks with the variables of the demo who sealed what. */
function tryGuides(folder: string): string {
  const [, ...pasted] = shellBlocks('docs/how-to/try-on-the-demo.md');
  expect(pasted).to.have.length(6);
  // It runs until Ctrl-C.
  const lines = pasted.filter((code) => !code.startsWith('npx paymount listen'));
  expect(lines).to.have.length(5);
  // The variables, and a request by hand.
  const connect = shellBlocks('docs/how-to/connect-a-platform.md').slice(0, 2);
  return shell(['set -e', ...lines, ...connect, 'npx paymount secrets list'].join('\n'), folder);
}

function shellBlocks(page: string): readonly string[] {
  return readPage(page).blocks.flatMap(({ language, code }) => (language === 'sh' ? [code] : []));
}

/** The page at a URL, after redirects that set cookies. */
function showPage(url: string, folder: string): string {
  return shell(`curl --fail -sSL --cookie '' '${url}'`, folder);
}

/** What a command line prints that ends well. */
function shell(line: string, folder: string): string {
  const ran = spawnSync('/bin/sh', ['-c', line], { cwd: folder, encoding: 'utf8' });
  expect(ran.status, withoutKeys(`${line}\n${ran.stderr}`)).to.equal(0);
  return ran.stdout;
}

/** Notes every process that descends from the child, as long as the child lives. */
function watchFamily(child: ChildProcess): () => number[] {
  const seen = new Set<number>();
  const look = (pid: number): void => {
    seen.add(pid);
    for (const descendant of listChildren(pid)) look(descendant);
  };
  const timer = setInterval(() => look(child.pid ?? 0), 50);
  child.once('close', () => clearInterval(timer));
  return () => [...seen];
}

function listChildren(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
        .split(' ')
        .filter(Boolean)
        .map(Number),
    );
  } catch {
    // It ended between two looks, or this is no Linux.
    return [];
  }
}

async function allGone(pids: readonly number[]): Promise<void> {
  // The demo, PostgreSQL and its workers: fewer would mean that nothing was watched.
  if (process.platform === 'linux') expect(pids.length).to.be.greaterThan(5);
  const alive = (): number[] => pids.filter(isAlive);
  await eventually(() => alive().length === 0).catch(() => undefined);
  expect(alive()).to.deep.equal([]);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function withoutKeys(text: string): string {
  return text.replace(/[sp]k_(test|live)_\w+/g, '$1 key').replace(/Bearer [\w-]+/g, 'a token');
}
