import { expect } from 'chai';
import pg from 'pg';
import { startError } from '../support/host.ts';
import { makeSealingKeys } from '../support/make.ts';
import { type GuardedPostgres, startGuardedPostgres } from './guarded-postgres.ts';

/** What a host's pool is set to does not hinder the connections that we dial ourselves. */
describe('the boot on a pool of the host', function () {
  this.timeout(60_000);
  const sealingKeys = makeSealingKeys();
  let server: GuardedPostgres;

  before(async () => {
    server = await startGuardedPostgres(
      ['host all app 127.0.0.1/32 trust'],
      ['app SUPERUSER LOGIN'],
    );
  });
  after(() => server.stop());

  /** Boots and stops; says what it was refused with, or that it started. */
  async function bootOn(options: pg.PoolConfig): Promise<string> {
    const pool = new pg.Pool({ connectionString: server.urlFor('app'), ...options });
    // A connection that is ending may still hear that the server stops.
    pool.on('error', () => undefined);
    const error = await startError({ database: pool, sealingKeys, migrate: true });
    await pool.end();
    return String(error ?? 'started');
  }

  it('starts on a pool that uses each connection once', async () => {
    expect(await bootOn({ maxUses: 1 })).to.equal('started');
  });

  it('runs the hooks of the pool on the connections of the pool alone', async () => {
    const seen: string[] = [];
    const onConnect = async (client: pg.ClientBase): Promise<void> => {
      const { rows } = await client.query<{ name: string }>(
        "SELECT current_setting('application_name') AS name",
      );
      seen.push(...rows.map(({ name }) => name));
    };
    const said = await bootOn({
      application_name: 'shop',
      min: 1,
      maxLifetimeSeconds: 60,
      onConnect: (client) => void onConnect(client),
      verify: (client, done) => void onConnect(client).then(() => done(), done),
    });
    expect(said).to.equal('started');
    expect([...new Set(seen)]).to.deep.equal(['shop']);
  });

  it('starts although the server drops a connection that was just dialed', async () => {
    let dropped = 0;
    /** The first connection of our own ends as soon as it is there. */
    class Dropped extends pg.Client {
      constructor(settings: pg.ClientConfig = {}) {
        super(settings);
        if (settings.application_name !== 'paymount' || dropped > 0) return;
        dropped += 1;
        this.once('connect', () => void this.end());
      }
    }
    expect(await bootOn({ Client: Dropped })).to.equal('started');
    expect(dropped).to.equal(1);
  });
});
