import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { paymount } from '../support/run-command.ts';
import { buildSettings, sealingKey, storeSecrets } from '../support/secrets-setting.ts';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

describe('The health of the service', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let app: AdminApp;

  before(async () => {
    database = await freshDatabase();
    proxy = await openTcpProxy(database.url);
    app = await startAdminApp({ paymount: { database: proxy.url } });
  });
  after(async () => {
    proxy.mend();
    await app.close();
    await proxy.close();
    await database.drop();
  });

  it('is ok while everything answers', async () => {
    const { status, json } = await app.admin('/health');
    expect(status).to.equal(200);
    expect(json).to.deep.include({
      object: 'health',
      status: 'ok',
      queue: 'absent',
      hook: 'none',
      overdue_ms: 0,
      slow_overdue_ms: 0,
      sealing_key: 'test',
      missing_sealing_keys: [],
    });
    expect(json['database']).to.include({ reachable: true });
    expect(json['epoch']).to.include({ in_recovery: false });
  });

  it('counts the changes of access', async () => {
    const genOf = async (): Promise<number> => {
      const { json } = await app.admin('/health');
      return (json['epoch'] as { gen: number }).gen;
    };
    const before = await genOf();
    await app.newAccount();
    expect(await genOf()).to.equal(before + 1);
  });

  for (const [how, break_] of [
    ['refuses', () => proxy.cut()],
    ['is silent', () => proxy.freeze()],
  ] as const) {
    it(`is degraded while the database ${how}, and says so in time`, async () => {
      break_();
      try {
        const startedMs = performance.now();
        const { status, json } = await app.admin('/health');
        expect(performance.now() - startedMs).to.be.below(3_000);
        expect(status).to.equal(200);
        expect(json).to.deep.include({
          status: 'degraded',
          epoch: null,
          overdue_ms: null,
          slow_overdue_ms: null,
          missing_sealing_keys: null,
        });
        expect(json['database']).to.deep.equal({ reachable: false, latency_ms: null });
      } finally {
        proxy.mend();
      }
    });
  }

  it('is degraded while other processes record results with a hook, and this one has no hook', async () => {
    const other = await freshDatabase();
    const shared = { database: other.url, sealingKeys: [sealingKey('2026')] };
    const hooked = await startAdminApp({ paymount: { ...shared, hook: async () => undefined } });
    const bare = await startAdminApp({ paymount: shared });
    try {
      expect((await hooked.admin('/health')).json).to.include({ status: 'ok', hook: 'present' });
      const missing = { status: 'degraded', hook: 'missing' };
      expect((await bare.admin('/health')).json).to.include(missing);
      await paymount({ DATABASE_URL: other.url }, 'hook', 'remove', '--reason', 'Given up.');
      expect((await bare.admin('/health')).json).to.include({ status: 'ok', hook: 'none' });
    } finally {
      await bare.close();
      await hooked.close();
      await other.drop();
    }
  });

  it('is degraded once another process seals with a key that this one lacks, and names it', async () => {
    const [old, newest] = [sealingKey('2025'), sealingKey('2026')];
    const other = await freshDatabase();
    await storeSecrets(other.url, old, 2);
    const ringed = await startAdminApp({ paymount: { database: other.url, sealingKeys: [old] } });
    try {
      expect((await ringed.admin('/health')).json).to.include({ status: 'ok' });
      const env = buildSettings(other.url, [newest, old]);
      expect((await paymount(env, 'secrets', 'rewrap')).exitCode).to.equal(0);
      const { status, json, text } = await ringed.admin('/health');
      expect(status).to.equal(200);
      expect(json).to.deep.include({
        status: 'degraded',
        sealing_key: '2025',
        missing_sealing_keys: ['2026'],
      });
      for (const { key } of [old, newest]) expect(text.includes(key)).to.equal(false);
    } finally {
      await ringed.close();
      await other.drop();
    }
  });

  it('is degraded while a stored secret was sealed by other bytes of a key it has', async () => {
    const other = await freshDatabase();
    const ringed = await startAdminApp({
      paymount: { database: other.url, sealingKeys: [sealingKey('2026')] },
    });
    try {
      await storeSecrets(other.url, sealingKey('2026'), 1);
      expect((await ringed.admin('/health')).json).to.deep.include({
        status: 'degraded',
        missing_sealing_keys: ['2026'],
      });
    } finally {
      await ringed.close();
      await other.drop();
    }
  });

  it('is refused to whom no role gives it', async () => {
    expect((await app.admin('/health', { token: await app.token([]) })).status).to.equal(403);
    expect((await app.admin('/health', { token: '' })).status).to.equal(401);
  });
});
