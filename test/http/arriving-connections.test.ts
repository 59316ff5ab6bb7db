import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { childProgram } from '../support/child-program.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { type Filter, openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const ROUNDS = 60;
/** ReadyForQuery, outside a transaction. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** What a server says last: FATAL, 57P01 (admin_shutdown). */
function goodbye(): Buffer {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0');
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

describe('a connection that dies on arrival', () => {
  let database: TestDatabase;
  /** Where the hosts keep their sealing keys. */
  let directory: string;
  let proxy: TcpProxy;
  let kills = false;
  let arrived = 0;
  const children: ChildProcess[] = [];

  /** Of the connections that arrive every other is told goodbye in one piece, the rest are reset. */
  function killing(): Filter {
    let isNew = true;
    return (bytes) => {
      if (!kills || !isNew || !bytes.includes(READY)) return bytes;
      isNew = false;
      arrived += 1;
      if (arrived % 2 === 0) return Buffer.concat([bytes, goodbye()]);
      setImmediate(breakAll);
      return bytes;
    };
  }

  function breakAll(): void {
    proxy.cut();
    proxy.mend();
  }

  before(async () => {
    database = await freshDatabase();
    directory = await mkdtemp(join(tmpdir(), 'paymount-arriving-'));
    proxy = await openTcpProxy(database.url, { inbound: killing });
  });
  afterEach(() => {
    kills = false;
    for (const child of children.splice(0)) child.kill();
  });
  after(async () => {
    await proxy.close();
    await database.drop();
    await rm(directory, { recursive: true });
  });

  /** A host in a process of its own; what it answers to each line. */
  async function startHost(kind: string) {
    const script = await childProgram(new URL('./arriving-child.ts', import.meta.url));
    const child = spawn(process.execPath, [script, kind, proxy.url], {
      cwd: directory,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    children.push(child);
    let complaint = '';
    child.stderr.on('data', (bytes: Buffer) => {
      complaint += String(bytes);
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<string> => {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) return `ended: ${complaint}`;
        // The hosts' loggers and knex write there too.
        if (/^(ready|\{("[a-z_]+":\d+,?)+\})$/.test(value)) return value;
      }
    };
    expect(await next()).to.equal('ready');
    return {
      ask: (count: number): Promise<string> => {
        child.stdin.write(`${count}\n`);
        return next();
      },
      end: async (): Promise<unknown> => {
        child.stdin.end();
        const [code] = await once(child, 'exit');
        return code;
      },
    };
  }

  for (const kind of ['url', 'pg.Pool', 'knex', 'knex on a pg.Pool']) {
    it(`leaves a host's process alive: ${kind}, ${ROUNDS} times`, async () => {
      const host = await startHost(kind);
      arrived = 0;
      kills = true;
      breakAll();
      expect(await host.ask(ROUNDS)).to.match(/^\{"(unavailable|resource_missing)":/);
      expect(arrived).to.be.at.least(ROUNDS / 2);
      kills = false;
      breakAll();
      await host.ask(5);
      expect(await host.ask(1)).to.equal('{"resource_missing":1}');
      expect(await host.end()).to.equal(0);
    }).timeout(60_000);
  }
});
