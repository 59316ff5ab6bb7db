import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import { expect } from 'chai';
import openapiTS, { astToString } from 'openapi-typescript';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { ask } from '../support/ask.ts';
import { FETCH_PROGRAM, HEY_API_PROGRAM } from './programs.ts';

const run = promisify(execFile);
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const STRICT = [
  '--strict',
  '--noEmit',
  '--target',
  'es2022',
  '--module',
  'preserve',
  '--types',
  'node',
  '--lib',
  'es2023,dom,dom.iterable',
  '--skipLibCheck',
];

/** What each program prints, having made a charge, listed, refunded and been refused. */
const DONE = {
  status: 'succeeded',
  amount: 4200,
  order: '17',
  found: 1,
  refunded: 'succeeded',
  method: 'visa',
  declined: 'card_declined',
  admin: 'ada@shop.test',
};

describe('TypeScript clients that are generated from the documents', () => {
  let app: AdminApp;
  let folder: string;
  let api: string;
  let management: string;
  before(async () => {
    app = await startAdminApp();
    folder = await mkdtemp(join(tmpdir(), 'paymount-clients-'));
    await symlink(MODULES, join(folder, 'node_modules'));
    api = (await ask(`${app.url}/v1/openapi.json`, { key: '' })).text;
    management = (await ask(`${app.url}/admin/payments/openapi.json`, { key: '' })).text;
  });
  after(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Compiles a program under `strict`, and runs it against the app. */
  async function compileAndRun(program: string, text: string): Promise<unknown> {
    const file = join(folder, `${program}.ts`);
    await writeFile(file, text);
    const tsc = run(join(MODULES, '.bin/tsc'), [...STRICT, file], { cwd: folder });
    // The compiler prints its errors to the standard output.
    await tsc.catch((error: { stdout?: string }) => expect.fail(error.stdout ?? String(error)));
    const { stdout } = await run(process.execPath, ['--import=tsx', file], {
      cwd: folder,
      env: {
        ...process.env,
        API_URL: app.url,
        MANAGEMENT_URL: `${app.url}/admin/payments`,
        SECRET_KEY: app.secretKey,
        ADMIN_TOKEN: await app.token(['admin']),
      },
    });
    return JSON.parse(stdout);
  }

  it('by openapi-typescript compile under strict and make a charge', async function () {
    this.timeout(60_000);
    for (const [name, text] of Object.entries({ api, management })) {
      const types = astToString(await openapiTS(JSON.parse(text)));
      await writeFile(join(folder, `${name}.ts`), types);
    }
    expect(await compileAndRun('fetch-program', FETCH_PROGRAM)).to.deep.equal(DONE);
  });

  it('by @hey-api/openapi-ts compile under strict and make a charge', async function () {
    this.timeout(60_000);
    for (const [name, text] of Object.entries({ api, management })) {
      await createClient({
        input: JSON.parse(text),
        output: join(folder, `hey-${name}`),
        plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
        logs: { level: 'silent' },
      });
    }
    expect(await compileAndRun('hey-api-program', HEY_API_PROGRAM)).to.deep.equal(DONE);
  });
});
