import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { eventually } from '../support/eventually.ts';
import { ROOT } from '../support/planted-tree.ts';

const STARTER = `
  const { startPostgres } = await import('./packages/paymount/dist/testing/postgres-server.js');
  const server = await startPostgres({ fsync: false });
  process.stdout.write(server.url);
  process.on('message', async () => { await server.stop(); process.exit(0); });
`;

describe('a PostgreSQL server of our own', function () {
  this.timeout(60_000);
  let folder: string;
  const started: ChildProcess[] = [];

  beforeEach(async () => {
    // A path with spaces, and, like /tmp, open to the unprivileged user whom root runs servers as.
    folder = await mkdtemp(join(tmpdir(), 'paymount own servers '));
    await chmod(folder, 0o1777);
  });

  afterEach(async () => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
    await eventually(async () => (await dataFolders()).length === 0);
    await rm(folder, { recursive: true, force: true });
  });

  async function start(): Promise<{ child: ChildProcess; url: string }> {
    const child = spawn(process.execPath, ['--input-type=module', '-e', STARTER], {
      cwd: ROOT,
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    started.push(child);
    if (!child.stdout) throw new Error('no standard output');
    const [url] = await once(child.stdout, 'data');
    return { child, url: String(url) };
  }

  const dataFolders = async (): Promise<string[]> =>
    (await readdir(folder)).filter((name) => name.startsWith('paymount-pgdata-'));

  async function serverPid(): Promise<number> {
    const [name = ''] = await dataFolders();
    return Number.parseInt(await readFile(join(folder, name, 'postmaster.pid'), 'utf8'), 10);
  }

  it('starts twice at the same time, without durability, and stops when asked', async () => {
    const servers = await Promise.all([start(), start()]);
    for (const { child, url } of servers) {
      const client = new pg.Client(url);
      await client.connect();
      const { rows } = await client.query('SHOW fsync');
      await client.end();
      expect(rows).to.deep.equal([{ fsync: 'off' }]);
      child.send('stop');
      const [code] = await once(child, 'exit');
      expect(code).to.equal(0);
    }
    expect(await dataFolders()).to.deep.equal([]);
  });

  it('ends when its owner is killed', async () => {
    const { child } = await start();
    const pid = await serverPid();
    child.kill('SIGKILL');
    await eventually(async () => !isAlive(pid));
  });

  it('is ended by the next start, when its tether was killed too', async () => {
    const { child } = await start();
    const pid = await serverPid();
    process.kill(await readParent(pid), 'SIGKILL');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isAlive(pid)).to.equal(true);
    await start();
    expect(isAlive(pid)).to.equal(false);
  });
});

async function readParent(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
