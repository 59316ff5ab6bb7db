import { Socket } from 'node:net';
import { expect } from 'chai';
import { createPaymount, type PaymountOptions } from 'paymount';
import { startWorker } from 'paymount/worker';
import pg from 'pg';
import { query } from '../support/database.ts';
import { SILENT, startError } from '../support/host.ts';
import { makeSealingKeys } from '../support/make.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';
import { type GuardedPostgres, startGuardedPostgres } from './guarded-postgres.ts';

const NOT_THERE =
  "A file or the socket's folder that the database's address names is not there (ENOENT). Correct " +
  'the address in the option `database` (usually that of DATABASE_URL): its `sslrootcert`, ' +
  '`sslcert`, `sslkey`, or the folder that stands for the host.';
const PASSWORD = 'a password of nobody';

/** What an operator reads when the database is not as it must be. */
describe('the database at boot', function () {
  this.timeout(60_000);
  let server: GuardedPostgres;

  before(async () => {
    server = await startGuardedPostgres(
      [
        'host all app 127.0.0.1/32 trust',
        'host all other 127.0.0.1/32 trust',
        'host all with_password 127.0.0.1/32 scram-sha-256',
        'hostssl all with_tls 127.0.0.1/32 trust',
      ],
      [
        'app LOGIN',
        'other LOGIN',
        'with_tls LOGIN',
        `with_password LOGIN PASSWORD '${PASSWORD.replaceAll(' ', '')}'`,
      ],
    );
  });
  after(() => server.stop());

  /** What it refuses to start with. */
  async function bootError(
    database: PaymountOptions['database'],
    options: Partial<PaymountOptions> = {},
  ): Promise<string> {
    const sealingKeys = makeSealingKeys();
    return String(await startError({ database, sealingKeys, ...options }));
  }

  it('tells wrong logins, hosts, ports and databases apart, and never the password', async () => {
    const wrongly = (change: (url: URL) => void, role = 'app'): string =>
      server.urlFor(role, change);
    const notFound = new pg.Pool({ stream: () => new LostSocket('ENOTFOUND') });
    const forbidden = new pg.Pool({ stream: () => new LostSocket('EACCES') });
    const seen: readonly (readonly [string, PaymountOptions['database'], string])[] = [
      [
        'a wrong password',
        wrongly((url) => (url.password = 'canary'), 'with_password'),
        'The database refuses the user or the password (28P01). Correct the address in the option ' +
          '`database` (usually that of DATABASE_URL).',
      ],
      [
        'no password',
        wrongly(() => undefined, 'with_password'),
        'The server requires a password, but the address does not contain one. The form of an address is ' +
          'postgres://user:password@host/database.',
      ],
      [
        'an unknown user',
        wrongly((url) => (url.password = 'canary'), 'stranger'),
        'The server refuses connections from this machine with this user to this database, without TLS ' +
          '(28000). Add `sslmode=verify-full` to the address, or an entry to its pg_hba.conf.',
      ],
      [
        'a server that demands TLS',
        wrongly(() => undefined, 'with_tls'),
        'The server refuses connections from this machine with this user to this database, without TLS ' +
          '(28000). Add `sslmode=verify-full` to the address, or an entry to its pg_hba.conf.',
      ],
      [
        'TLS, which the server does not have',
        wrongly((url) => url.searchParams.set('sslmode', 'verify-full')),
        'The address requires TLS, but the server does not support it. Switch TLS on at the server, or drop ' +
          '`sslmode` from the address.',
      ],
      [
        'a port where nobody listens',
        wrongly((url) => {
          url.port = '1';
          url.password = 'canary';
        }),
        "Nothing listens at the host and port of the database's address (ECONNREFUSED). Is the " +
          'server running, and is its address right?',
      ],
      [
        'an unknown host',
        notFound,
        "The host that the database's address names is not found (ENOTFOUND). Is the address of " +
          'the form postgres://user:password@host/database?',
      ],
      [
        'a database that is not there',
        wrongly((url) => (url.pathname = '/not_there')),
        'The server has no database of that name (3D000). Create it, or correct the address in the ' +
          'option `database` (usually that of DATABASE_URL).',
      ],
      [
        'an authority that is not there',
        wrongly((url) => {
          url.searchParams.set('sslmode', 'verify-full');
          url.searchParams.set('sslrootcert', '/canary/ca.pem');
        }),
        NOT_THERE,
      ],
      ["a socket's folder that is not there", 'postgres://app@/shop?host=/canary', NOT_THERE],
      [
        'a socket that this process may not use',
        forbidden,
        "This process may not read a file, or use the socket, that the database's address names " +
          '(EACCES). Let its user in, or correct the address in the option `database` (usually ' +
          'that of DATABASE_URL): its `sslrootcert`, `sslcert`, `sslkey`, or the folder that ' +
          'stands for the host.',
      ],
      [
        'a password with a character that an address cannot hold',
        'postgres://app:can#ary@127.0.0.1/shop',
        "The database's address cannot be read (ERR_INVALID_URL). Its form is " +
          'postgres://user:password@host/database, with @, /, # and : of a password as %40, %2F, ' +
          '%23 and %3A.',
      ],
    ];
    for (const [what, database, refusal] of seen) {
      for (const migrate of [false, true]) {
        const said = await bootError(database, { migrate });
        expect(said, what).to.equal(`DatabaseError: ${refusal}`);
      }
    }
    await notFound.end();
    await forbidden.end();
  });

  it('names `directUrl` when the address in it is the wrong one', async () => {
    await server.run('CREATE DATABASE direct');
    const database = server.urlFor('postgres', (url) => (url.pathname = '/direct'));
    const directUrl = server.urlFor('postgres', (url) => (url.pathname = '/not_there'));
    expect(await bootError(database, { migrate: true, directUrl })).to.equal(
      'DatabaseError: The server has no database of that name (3D000). Create it, or correct the ' +
        'address in the option `directUrl`.',
    );
  });

  it('refuses a server older than PostgreSQL 14', async () => {
    // The server is real; on the way its version becomes another one of the same length.
    const [row] = await query(server.url, 'SHOW server_version_num');
    const found = String(row?.['server_version_num']);
    const inbound = () => (bytes: Buffer) =>
      Buffer.from(bytes.toString('latin1').replaceAll(found, '130022'), 'latin1');
    const old = await openTcpProxy(server.url, { inbound });
    try {
      for (const migrate of [false, true]) {
        expect(await bootError(old.url, { migrate })).to.equal(
          'DatabaseError: PostgreSQL 13.22 is too old: Paymount needs PostgreSQL 14 or later.',
        );
      }
    } finally {
      await old.close();
    }
  });

  it('names the right that a role lacks, and what gives it', async () => {
    await server.run('CREATE DATABASE shop');
    const app = server.urlFor('app', (url) => (url.pathname = '/shop'));
    const other = server.urlFor('other', (url) => (url.pathname = '/shop'));
    const owner = server.urlFor('postgres', (url) => (url.pathname = '/shop'));
    expect(await bootError(app, { migrate: true })).to.equal(
      'DatabaseError: The role app may not create the schema "paymount". As the owner of the ' +
        'database, run: GRANT CREATE ON DATABASE shop TO app',
    );
    await query(owner, 'CREATE SCHEMA paymount; GRANT USAGE ON SCHEMA paymount TO app');
    expect(await bootError(app, { migrate: true })).to.equal(
      'DatabaseError: The role app may not make tables in the schema "paymount". As its owner ' +
        '(postgres), run: GRANT USAGE, CREATE ON SCHEMA "paymount" TO app',
    );
    await query(owner, 'GRANT USAGE, CREATE ON SCHEMA "paymount" TO app');
    const sealingKeys = makeSealingKeys();
    const started = await createPaymount({
      database: app,
      sealingKeys,
      logger: SILENT,
      migrate: true,
    });
    await started.close();
    expect(await bootError(other)).to.equal(
      'DatabaseError: The role other may not use the schema "paymount". As its owner (postgres), ' +
        'run: GRANT USAGE ON SCHEMA "paymount" TO other',
    );
    await query(owner, 'GRANT USAGE ON SCHEMA "paymount" TO other');
    const rights =
      'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "paymount" TO other; ' +
      'GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA "paymount" TO other';
    expect(await bootError(other)).to.equal(
      'DatabaseError: The role other may not read and write the tables in the schema "paymount". ' +
        `As their owner (app), run: ${rights}`,
    );
    await query(app, rights);
    const joined = await createPaymount({ database: other, sealingKeys, logger: SILENT });
    await joined.close();
  });

  it('names what a worker lacks to make the table of a day, before one is missing', async () => {
    await server.run('CREATE DATABASE stall');
    const inStall = (role: string) => server.urlFor(role, (url) => (url.pathname = '/stall'));
    const owner = inStall('postgres');
    const sealingKeys = makeSealingKeys();
    const made = await createPaymount({
      database: owner,
      sealingKeys,
      logger: SILENT,
      migrate: true,
    });
    // It makes the tables of the next days.
    await (await startWorker(made)).close();
    await made.close();
    const warnings: string[] = [];
    const logger = {
      ...SILENT,
      warn: ({ reason }: { reason?: unknown }, text: string) =>
        void warnings.push(`${text} ${reason}`),
    };
    /** What a worker says, and what was said of it before: by a process that may only serve. */
    const said = async (role: string): Promise<string> => {
      warnings.length = 0;
      const paymount = await createPaymount({ database: inStall(role), sealingKeys, logger });
      try {
        await (await startWorker(paymount)).close();
        return ['It started.', ...warnings].join(' ');
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        expect(warnings).to.deep.equal([
          `This process can serve requests, but cannot start a worker. ${error.message}`,
        ]);
        return String(error);
      } finally {
        await paymount.close();
      }
    };
    await query(
      owner,
      'GRANT USAGE ON SCHEMA paymount TO app; ' +
        'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA paymount TO app',
    );
    expect(await said('app')).to.equal(
      'DatabaseError: The role app may not make tables in the schema "paymount". As its owner ' +
        '(postgres), run: GRANT USAGE, CREATE ON SCHEMA "paymount" TO app',
    );
    await query(owner, 'GRANT USAGE, CREATE ON SCHEMA "paymount" TO app');
    // Membership in a superuser's role would open the whole server.
    expect(await said('app')).to.equal(
      'DatabaseError: The role app does not own the tables in the schema "paymount", so it may ' +
        'not change them. As postgres, run for each of them: ALTER TABLE "paymount".name OWNER TO app',
    );
    await query(
      owner,
      'ALTER TABLE paymount.migrations OWNER TO other; ' +
        'ALTER TABLE paymount.delivery_attempts OWNER TO other',
    );
    expect(await said('app')).to.equal(
      'DatabaseError: The role app does not own the tables in the schema "paymount", so it may ' +
        'not change them. Connect as other, who made them, or run: GRANT other TO app',
    );
    await query(owner, 'GRANT CREATE ON SCHEMA paymount TO other; GRANT other TO app');
    expect(await said('app')).to.equal('It started.');
  });
});

/** A socket that cannot connect. */
class LostSocket extends Socket {
  readonly #code: string;

  constructor(code: string) {
    super();
    this.#code = code;
  }

  override connect(): this {
    const error = Object.assign(new Error(`${this.#code} canary`), { code: this.#code });
    process.nextTick(() => this.destroy(error));
    return this;
  }
}
