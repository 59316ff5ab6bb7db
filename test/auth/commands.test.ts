import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createGuard } from '@paymount/auth';
import { DispatchHub } from '@paymount/core/events';
import { newId, PaymountError } from '@paymount/core/kernel';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import { describeFailure } from '../../packages/paymount/src/commands/describe-failure.ts';
import { PAYMOUNT_PROGRAM } from '../support/child-program.ts';
import { fakeClock } from '../support/clock.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../support/database.ts';
import { keptLog } from '../support/kept-log.ts';
import { requestWith } from '../support/memory-credentials.ts';
import { paymount } from '../support/run-command.ts';

const ACCOUNT = [
  'accounts',
  'create',
  '--name',
  'Café Noir',
  '--country',
  'DE',
  '--currency',
  'eur',
];

function keyArgs(account: string, type: string, ...more: string[]): string[] {
  const flags = ['--account', account, '--environment', 'test', '--type', type, '--name', 'Server'];
  return ['keys', 'create', ...flags, ...more];
}

const A_DATABASE =
  'a connection string that begins with `postgres://`, `postgresql://`, `socket:` or `/`, a `pg.Pool` or a knex';

describe('the paymount command', () => {
  let database: TestDatabase;
  let empty: TestDatabase;
  let storage: PostgresStorage;
  let env: Record<string, string> = {};

  before(async function () {
    this.timeout(30_000);
    [database, empty] = await Promise.all([freshDatabase(), emptyDatabase()]);
    env = { DATABASE_URL: database.url };
    storage = createPostgresStorage({ connection: database.url, dispatch: new DispatchHub() });
  });

  after(async () => {
    await storage.close();
    await Promise.all([database.drop(), empty.drop()]);
  });

  async function newAccount(): Promise<string> {
    const { exitCode, out } = await paymount(env, ...ACCOUNT);
    expect(exitCode).to.equal(0);
    return out[0] ?? '';
  }

  /** `let in`, or the code of the refusal, by a guard that has seen nothing yet. */
  async function ask(secret: string): Promise<string> {
    const guard = createGuard({
      credentials: storage.credentials,
      clock: fakeClock(),
      logger: keptLog(),
    });
    try {
      await guard.authenticate(requestWith(`Bearer ${secret}`), 'test');
      return 'let in';
    } catch (error) {
      if (PaymountError.is(error)) return error.code;
      throw error;
    }
  }

  it('makes an account and a key that works, and revokes it', async () => {
    const account = await newAccount();
    expect(account).to.match(/^acct_[0-9a-z]{26}$/);

    const made = await paymount(env, ...keyArgs(account, 'secret'));
    const [secret = ''] = made.out;
    expect(made).to.deep.include({
      exitCode: 0,
      out: [secret],
      err: [made.err[0], 'It is shown only once; keep it in your secret store.'],
    });
    expect(secret).to.match(/^sk_test_pm[0-9A-Za-z]{38}$/);
    expect(await ask(secret)).to.equal('let in');

    const id = made.err[0]?.split(':')[0] ?? '';
    expect(made.err[0]).to.equal(`${id}: secret key of ${account} for test.`);
    const revoked = await paymount(env, 'keys', 'revoke', id, '--reason', 'leak');
    expect(revoked.exitCode).to.equal(0);
    expect(revoked.out[0]).to.match(
      new RegExp(`^${id} \\(sk_test_pm\\.\\.\\.${secret.slice(-4)}\\) is revoked since 20`),
    );
    expect(await ask(secret)).to.equal('api_key_revoked');

    const listed = await paymount(env, 'keys', 'list', '--account', account);
    const since = `${revoked.out[0]?.slice(-25, -6)}Z`;
    expect(listed.out).to.deep.equal([
      'ID                              KEY                TYPE    STATUS   ENDS                  LAST USED  24 H  SAFE TO REVOKE  REPLACED BY  NAME',
      `${id}  sk_test_pm...${secret.slice(-4)}  secret  revoked  ${since}  never      0     -               -            Server`,
    ]);
  });

  it('prints one JSON object with --json, and nothing else', async () => {
    const account = JSON.parse((await paymount(env, ...ACCOUNT, '--json')).out.join(''));
    expect(account).to.deep.include({
      id: account.id,
      object: 'account',
      name: 'Café Noir',
      email: null,
      country: 'DE',
      default_currency: 'eur',
      status: 'active',
      suspended_at: null,
      created: account.created,
    });
    const scopes = ['--scopes', 'webhooks:write,charges:read'];
    const made = await paymount(env, '--json', ...keyArgs(account.id, 'restricted', ...scopes));
    expect(made.err).to.deep.equal([]);
    const key = JSON.parse(made.out.join(''));
    expect(key).to.deep.include({
      account: account.id,
      livemode: false,
      type: 'restricted',
      name: 'Server',
      status: 'active',
      scopes: ['charges:read', 'webhooks:write'],
    });
    expect(await ask(key.secret)).to.equal('let in');
  });

  it('finds that new data agree', async () => {
    const { err, ...verified } = await paymount(env, 'verify');
    expect(verified).to.deep.include({ exitCode: 0, out: ['The books agree.'] });
    expect(err.join()).to.match(/^Reads about \d+ rows, and sorts in memory\.$/);
    const json = await paymount(env, 'verify', '--json');
    expect(json.out).to.deep.equal(['{"agrees":true,"found":0,"differences":[]}']);
  });

  it('migrates an empty database once, into the schema of choice', async () => {
    const settings = { DATABASE_URL: empty.url, PAYMOUNT_SCHEMA: 'shop_payments' };
    const before = await paymount(settings, 'verify');
    expect([before.exitCode, before.out]).to.deep.equal([1, []]);
    expect(before.err[0]).to.match(
      /^paymount: Schema "shop_payments" has no Paymount tables\. Run `npx paymount migrate`, or /,
    );
    const first = await paymount(settings, 'migrate');
    expect(first.exitCode).to.equal(0);
    expect(first.out[0]).to.equal('applied 0001-accounts');
    expect(first.out.at(-1)).to.equal('The schema is up to date.');
    expect((await paymount(settings, 'migrate')).out).to.deep.equal([
      'The schema is up to date; nothing was applied.',
    ]);
    expect((await paymount(settings, 'verify')).exitCode).to.equal(0);
  });

  it('reads the options of createPaymount from a module', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paymount config '));
    try {
      const named = join(folder, 'named.mjs');
      const options = `{ database: ${JSON.stringify(database.url)}, issuerTag: 'shop' }`;
      await writeFile(named, `export const options = ${options};`);
      const unnamed = join(folder, 'unnamed.mjs');
      await writeFile(unnamed, `export default ${options};`);
      const other = join(folder, 'other.mjs');
      await writeFile(other, 'export const database = 1;');

      const account = await newAccount();
      const made = await paymount({}, '--config', named, ...keyArgs(account, 'publishable'));
      expect(made.out[0]).to.match(/^pk_test_shop[0-9A-Za-z]{38}$/);
      expect((await paymount({}, '--config', unnamed, 'verify')).exitCode).to.equal(0);
      expect(await paymount({}, '--config', other, 'verify')).to.deep.include({
        exitCode: 2,
        out: [],
        err: [
          `paymount: ${other} must export the options of createPaymount, with \`database\`, as \`options\` or as its default.`,
        ],
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('says in its own words why that module fails, whichever global scope its error is of', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paymount config '));
    try {
      const file = join(folder, 'failing.mjs');
      await writeFile(
        file,
        `import { runInNewContext } from 'node:vm';
        throw runInNewContext('new Error("the vault is closed")');`,
      );
      expect(await paymount({}, '--config', file, 'verify')).to.deep.include({
        exitCode: 2,
        out: [],
        err: [`paymount: ${file} cannot be loaded: the vault is closed`],
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('validates the options in that module as createPaymount does', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paymount config '));
    try {
      const file = join(folder, 'wrong.mjs');
      const wrong: readonly (readonly [object, string])[] = [
        [{ database: '' }, `\`database\` of ${file} is empty; is DATABASE_URL set?`],
        [{ database: 5 }, `${file}: the option \`database\` must be ${A_DATABASE}; it is 5.`],
        [
          { database: 'mysql://canary@localhost/shop' },
          `${file}: the option \`database\` must be ${A_DATABASE}; it is a text (not shown).`,
        ],
        [
          { database: database.url, poolSize: 0 },
          `${file}: the option \`poolSize\` must be a whole number from 1 to 1,000; it is 0.`,
        ],
        [
          { database: database.url, shema: 'shop' },
          `${file} has no option \`shema\`; did you mean \`schema\`?`,
        ],
      ];
      for (const [index, [options, refusal]] of wrong.entries()) {
        // A module is loaded once in a process.
        const named = join(folder, `wrong-${index}.mjs`);
        await writeFile(named, `export default ${JSON.stringify(options)};`);
        expect(await paymount({}, '--config', named, 'verify')).to.deep.include({
          exitCode: 2,
          out: [],
          err: [`paymount: ${refusal.replace(file, named)}`],
        });
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('says what is wrong with a command line, and ends with 2', async () => {
    const account = newId('acct');
    for (const [args, message] of [
      [['bogus'], "error: unknown command 'bogus'"],
      [['keys', 'create'], "error: required option '--account <id>' not specified"],
      [
        keyArgs('acct_1', 'secret'),
        'paymount: Name the account by its id (acct_...), as `paymount accounts list` shows it.',
      ],
      [keyArgs(account, 'restricted'), 'paymount: A restricted key needs --scopes.'],
      [
        keyArgs(account, 'secret', '--scopes', 'charges:read'),
        'paymount: --scopes is for keys of type restricted.',
      ],
      [
        ['keys', 'revoke', 'sk_test_1'],
        'paymount: Name the key by its id (key_...), as `paymount keys list` shows it.',
      ],
    ] as const) {
      const outcome = await paymount(env, ...args);
      expect(outcome, args.join(' ')).to.deep.include({ exitCode: 2, out: [], err: [message] });
    }
    const unset = await paymount({}, 'verify');
    expect([unset.exitCode, unset.err[0]]).to.deep.equal([
      2,
      'paymount: No database: set DATABASE_URL, or pass --config with a module that exports your options.',
    ]);
  });

  it('exits with 2 for an unknown country', async () => {
    for (const country of ['Germany', 'XX', 'de']) {
      const args = ACCOUNT.map((word) => (word === 'DE' ? country : word));
      const { exitCode, out, err } = await paymount(env, ...args);
      expect([exitCode, out], country).to.deep.equal([2, []]);
      expect(err[0], country).to.include(
        'paymount: A country is an ISO 3166-1 alpha-2 code, such as DE or GB.',
      );
    }
  });

  it('prints its version, and which options a command requires', async () => {
    const manifest = new URL('../../packages/paymount/package.json', import.meta.url);
    const { version } = JSON.parse(await readFile(manifest, 'utf8'));
    expect(await paymount({}, '--version')).to.deep.include({
      exitCode: 0,
      out: [version],
      err: [],
    });
    const { exitCode, out } = await paymount({}, 'accounts', 'create', '--help');
    expect(exitCode).to.equal(0);
    expect(out.join('\n').match(/--\w+(?= .*\(required\))/g)).to.deep.equal([
      '--name',
      '--country',
      '--currency',
    ]);
  });

  it('says why it failed, and ends with 1', async () => {
    const account = newId('acct');
    const missing = await paymount(env, ...keyArgs(account, 'secret'));
    expect(missing.exitCode).to.equal(1);
    expect(missing.err[0]).to.contain(`paymount: No such account: ${account}`);
    const json = await paymount(env, ...keyArgs(account, 'secret'), '--json');
    expect(JSON.parse(json.err.join(''))).to.have.nested.property('error.code', 'resource_missing');
  });

  it('never repeats the address of a database that it cannot reach', async () => {
    const unreachable = { DATABASE_URL: 'postgres://operator:canary-password@127.0.0.1:1/shop' };
    expect(await paymount(unreachable, 'verify')).to.deep.include({
      exitCode: 1,
      out: [],
      err: [
        "paymount: Nothing listens at the host and port of the database's address (ECONNREFUSED). Is the server running, and is its address right?",
      ],
    });
  });

  it('names why the database does not let it in', async () => {
    const saysOf = async (url: string) => (await paymount({ DATABASE_URL: url }, 'verify')).err[0];
    expect(await saysOf('nonsense')).to.equal(
      'paymount: DATABASE_URL must be a connection string that begins with `postgres://`, `postgresql://`, `socket:` or `/`.',
    );
    const failed = (code: string) => describeFailure(Object.assign(new Error('canary'), { code }));
    expect(failed('ENOTFOUND').message).to.equal(
      "The host that the database's address names is not found (ENOTFOUND). Is the address of the form postgres://user:password@host/database?",
    );
    expect(failed('EPERM').message).to.equal('canary');
    const other = new URL(database.url);
    other.pathname = '/not_there';
    expect(await saysOf(other.href)).to.equal(
      'paymount: The server has no database of that name (3D000). Create it, or correct the address in the option `database` (usually that of DATABASE_URL).',
    );
    const stranger = new URL(database.url);
    stranger.username = 'nobody_here';
    expect(await saysOf(stranger.href)).to.match(
      /^paymount: The database refuses the user or the password \(28(?:000|P01)\)\. Correct the address in the option `database` \(usually that of DATABASE_URL\)\.$/,
    );
  });

  it('runs as a program', async function () {
    this.timeout(30_000);
    const { stdout } = await promisify(execFile)(process.execPath, [PAYMOUNT_PROGRAM, 'verify'], {
      env: { ...process.env, ...env },
    });
    expect(stdout).to.equal('The books agree.\n');
  });

  it('says in a clone that was not compiled what to do about it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paymount bin '));
    try {
      const bin = fileURLToPath(new URL('../../packages/paymount/bin', import.meta.url));
      await cp(bin, join(folder, 'bin'), { recursive: true });
      await writeFile(join(folder, 'package.json'), '{"type":"module"}');
      const ran = spawnSync(process.execPath, [join(folder, 'bin/paymount.js'), 'verify'], {
        env: { ...process.env, NODE_OPTIONS: '' },
        encoding: 'utf8',
      });
      expect([ran.status, ran.stdout, ran.stderr]).to.deep.equal([
        1,
        '',
        'paymount: It is not compiled yet: run `npm run build` first.\n',
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
