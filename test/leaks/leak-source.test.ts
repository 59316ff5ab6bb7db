import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { expect } from 'chai';
import { type LeakSource, PaymountError } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, type Reply } from '../support/ask.ts';
import { startError } from '../support/host.ts';
import { type WrittenLog, writtenLog } from '../support/written-log.ts';

const forge = generateKeyPairSync('ed25519');

/** A code host of the test's own: one token a line, signed with Ed25519. */
const FORGE: LeakSource = {
  name: 'forge',
  async verify(headers) {
    const [signature] = headers['x-forge-signature'] ?? [];
    if (signature === undefined) throw new PaymountError('leak_report_unverified');
    if (signature === 'down') throw new Error('The keys of the forge cannot be had.');
    return (body) => {
      if (!verify(undefined, body, forge.publicKey, Buffer.from(signature, 'base64'))) {
        throw new PaymountError('leak_report_unverified');
      }
      const tokens = body.toString().split('\n');
      return {
        exposures: tokens.map((credential) => ({ credential, url: 'https://forge.example/1' })),
        answer: (verdicts) => ({ real: verdicts.map(({ matched }) => matched) }),
      };
    };
  },
};

describe('POST /leaks/NAME', () => {
  let app: TestApp;
  let log: WrittenLog;

  before(async () => {
    log = writtenLog();
    app = await startApp({
      paymount: { leaks: { sources: [FORGE] }, logger: log.logger },
      mount: (host, paymount) => {
        host.use(paymount.leakRouter(), paymount.router({ environment: 'test' }));
      },
    });
  });
  after(() => app.close());

  function report(body: string, signature?: string): Promise<Reply> {
    const signed = sign(undefined, Buffer.from(body), forge.privateKey).toString('base64');
    const headers = { 'x-forge-signature': signature ?? signed };
    return ask(`${app.url}/leaks/forge`, { method: 'POST', body, headers, key: '' });
  }

  it('revokes what a code host of the host reports, under its name', async () => {
    const made = { account: app.account, livemode: false, name: 'leaky' } as const;
    const { secret, ...key } = await app.paymount.keys.create({
      ...made,
      type: 'secret',
    });
    const { status, json } = await report(`no token\n${secret}`);
    expect([status, json]).to.deep.equal([200, { real: [false, true] }]);
    const { status: after, error } = await ask(`${app.url}/v1/balance`, { key: secret });
    expect([after, error['code']]).to.deep.equal([401, 'api_key_revoked']);
    expect(log.text()).to.include('"source":"forge"').and.to.include('"route":"/leaks/forge"');
    expect(log.text().includes(secret)).to.equal(false);
    expect((await app.paymount.keys.revoke(key.id, { reason: 'owner' })).revoked_reason).to.equal(
      'leak',
    );
  });

  it('refuses what the code host did not sign', async () => {
    const other = generateKeyPairSync('ed25519').privateKey;
    const signature = sign(undefined, Buffer.from(app.secretKey), other).toString('base64');
    const { status, error } = await report(app.secretKey, signature);
    expect([status, error['code']]).to.deep.equal([401, 'leak_report_unverified']);
    expect((await ask(`${app.url}/v1/balance`, { key: app.secretKey })).status).to.equal(200);
  });

  it('tells the code host to come again when its proof cannot be checked', async () => {
    const { status, error, headers } = await report('', 'down');
    expect([status, error['code']]).to.deep.equal([503, 'unavailable']);
    expect(headers['retry-after']).to.equal('60');
    expect(log.text()).to.include('The keys of the forge cannot be had.');
  });

  for (const name of ['github', 'url', '', 'For ge', '-forge', 'a'.repeat(51)]) {
    it(`is refused at boot with the name ${JSON.stringify(name)}`, async () => {
      expect(await bootError([{ ...FORGE, name }])).to.match(/^The option `leaks.sources` has the/);
    });
  }

  it('is refused at boot when two have one name', async () => {
    expect(await bootError([FORGE, FORGE])).to.include('"forge": each has one of its own');
  });

  async function bootError(sources: readonly LeakSource[]): Promise<string | undefined> {
    const { databaseUrl: database, sealingKeys } = app;
    return (await startError({ database, sealingKeys, leaks: { sources } }))?.message;
  }
});
