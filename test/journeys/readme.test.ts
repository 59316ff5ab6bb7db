import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/local-program.ts';
import { makeUnknownKey } from '../support/make.ts';
import { readPage } from '../support/read-pages.ts';
import { type PackedShop, packedShop } from './packed-shop.ts';

/** Packing, migrating and four starts of node, on a busy machine. */
const LIMIT_MS = 180_000;
/** The port that the README names. */
const PORT = '3000';

describe('the README', () => {
  let shop: PackedShop;
  let database: TestDatabase;
  let program: ChildProcess | undefined;

  before(async () => {
    [shop, database] = await Promise.all([packedShop(), emptyDatabase()]);
  });
  after(async () => {
    if (program?.exitCode === null) {
      program.kill();
      await once(program, 'close');
    }
    await database.drop();
    await shop.remove();
  });

  it('mounts Paymount and charges a card with its own lines, as pasted', async () => {
    const [mount, commands] = linesToPaste();
    const port = String(await freePort());
    const env = { PATH: process.env['PATH'], HOME: shop.folder, DATABASE_URL: database.url };
    await writeFile(join(shop.folder, 'app.mjs'), mount.replaceAll(PORT, port));
    program = spawn(process.execPath, ['app.mjs'], { cwd: shop.folder, env });
    const said = gathered(program);
    await listening(port, program, said);
    const pasted = ['-e', '-c', commands.replaceAll(PORT, port)];
    const { stdout } = await promisify(execFile)('/bin/sh', pasted, { cwd: shop.folder, env });
    expect(JSON.parse(stdout), said()).to.include({
      object: 'charge',
      status: 'succeeded',
      amount: 4200,
      currency: 'eur',
    });
  });
}).timeout(LIMIT_MS);

/** The program, and what is typed in the second terminal. */
function linesToPaste(): [string, string] {
  const { blocks } = readPage('README.md');
  const at = blocks.findIndex(({ code }) => code.includes('createPaymount('));
  const [mount, commands] = blocks.slice(at);
  expect([mount?.language, commands?.language]).to.deep.equal(['ts', 'sh']);
  return [mount?.code ?? '', commands?.code ?? ''];
}

function gathered(child: ChildProcess): () => string {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (bytes: Buffer) => {
      said += bytes.toString();
    });
  }
  return () => said;
}

/** Waits until the program answers from its database. @throws Error with what it said, when it has ended */
async function listening(port: string, child: ChildProcess, said: () => string): Promise<void> {
  const address = `http://127.0.0.1:${port}/payments/v1/charges`;
  // It is looked up in the database.
  const headers = { authorization: `Bearer ${makeUnknownKey()}` };
  const ask = (): Promise<number | undefined> =>
    fetch(address, { headers }).then(
      ({ status }) => status,
      () => undefined,
    );
  const isOver = (status?: number): boolean => status === 401 || child.exitCode !== null;
  await eventually(ask, isOver, LIMIT_MS);
  if (child.exitCode !== null) throw new Error(`app.mjs has ended: ${said()}`);
}
