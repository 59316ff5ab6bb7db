import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import { ask } from '../support/ask.ts';
import { startError, startHost } from '../support/host.ts';
import { makeSealingKeys } from '../support/make.ts';
import { type LeaksSetup, startLeaksSetup } from './leaks-setup.ts';

const percent = (text: string): string => text.replaceAll('_', '%5F');

describe('what is reported of a leak', () => {
  let setup: LeaksSetup;

  before(async () => {
    setup = await startLeaksSetup();
  });
  after(() => setup.close());

  const status = async (key: string): Promise<number> =>
    (await ask(`${setup.url}/v1/balance`, { key })).status;

  it('holds back no revocation, whatever the place is made of', async () => {
    const shortened = (key: string): string => `sk_test_pm...${key.slice(-4)}`;
    const places: Record<string, [told: (key: string) => string, kept: (key: string) => string]> = {
      'a NUL': [() => 'https://x/\0', () => 'https://x/\uFFFD'],
      'a NUL that decoding brings out': [
        (key) => `https://x/?q=${percent(key)}&z=%00`,
        (key) => `https://x/?q=${shortened(key)}&z=\uFFFD`,
      ],
      'half of a pair': [() => 'https://x/\ud800', () => 'https://x/\uFFFD'],
      'a pair at the cut': [
        () => `https://x/${'a'.repeat(2_037)}😀b`,
        () => `https://x/${'a'.repeat(2_037)}😀`,
      ],
      'ten megabytes': [() => 'x'.repeat(1e7), () => 'x'.repeat(2_048)],
    };
    const account = await setup.newAccount('Places', 'places@shop.example');
    for (const [name, [told, kept]] of Object.entries(places)) {
      const [one, other] = [await setup.newKey(account), await setup.newKey(account)];
      const verdicts = await setup.paymount.leaks.report([
        { credential: one.secret, source: 'forum', url: told(one.secret) },
        { credential: other.secret, source: 'forum', url: 'https://fine.example' },
      ]);
      expect(verdicts, name).to.deep.equal(Array(2).fill({ matched: true, action: 'revoked' }));
      expect([await status(one.secret), await status(other.secret)], name) //
        .to.deep.equal([401, 401]);
      const leaks = await setup.listLeaks(account);
      const leak = leaks.find(({ credential }) => credential.id === one.id);
      expect(leak?.url, name).to.equal(kept(one.secret));
    }
  });

  it('stores no credential in the name of the reporter', async () => {
    const account = await setup.newAccount('Named');
    const { secret } = await setup.newKey(account);
    await setup.paymount.leaks.report([{ credential: secret, source: `bot\n${secret}` }]);
    const [leak] = await setup.listLeaks(account);
    expect(leak?.source).to.equal(`bot\uFFFDsk_test_pm...${secret.slice(-4)}`);
    const audit = await setup.sql('SELECT * FROM paymount.audit_log WHERE account_id = $1', [
      account,
    ]);
    expect(audit.length).to.be.above(0);
    expect(JSON.stringify(audit).includes(secret), 'it is in the audit log').to.equal(false);
  });

  it('is refused from a reporter who uses the reserved name', async () => {
    const { secret } = await setup.newKey(await setup.newAccount('Claimed'));
    const refused = await setup.paymount.leaks
      .report([{ credential: secret, source: 'url', url: 'https://pastebin.example/1' }])
      .catch((error: unknown) => error);
    expect(PaymountError.is(refused) && [refused.code, refused.param]).to.deep.equal([
      'parameter_invalid',
      'source',
    ]);
  });

  it('revokes although no mail can go to the address of the account', async () => {
    const account = await setup.newAccount('Unreachable', 'ok@shop.example');
    const { secret } = await setup.newKey(account);
    const address = `${'a'.repeat(390)}@example.com`;
    await setup.sql('UPDATE paymount.accounts SET email = $2 WHERE id = $1', [account, address]);
    expect(
      await setup.paymount.leaks.report([{ credential: secret, source: 'forum' }]),
    ).to.deep.equal([{ matched: true, action: 'revoked' }]);
    expect(await status(secret)).to.equal(401);
    expect(await setup.sql('SELECT FROM paymount.mails WHERE account_id = $1', [account])) //
      .to.deep.equal([]);
    expect(setup.log.text()).to.include('No mail about a leak can be sent');
  });

  it('is nothing to start without an address of the operator that mail can go to', async () => {
    for (const operator of [
      'a,b@shop.example',
      'Ops <ops@shop.example>',
      `${'x'.repeat(65)}@shop.example`,
      `x@${'y.'.repeat(160)}example`,
    ]) {
      const refused = await startError({ database: setup.databaseUrl, mail: { operator } });
      expect(refused?.message).to.include('mail.operator');
    }
  });
});

describe('the mail about a leaked key', () => {
  const sealingKeys = makeSealingKeys();
  let setup: LeaksSetup;

  before(async () => {
    setup = await startLeaksSetup({ leakPolicy: 'notify', sealingKeys });
  });
  after(() => setup.close());

  const mailsTo = (account: string): Promise<Record<string, unknown>[]> =>
    setup.sql('SELECT subject, text FROM paymount.mails WHERE account_id = $1 ORDER BY id', [
      account,
    ]);

  it('names a place once, although another source reports it beside a new one', async () => {
    const account = await setup.newAccount('Twice', 'twice@shop.example');
    const { secret: credential } = await setup.newKey(account);
    const [a, b] = ['https://a.example', 'https://b.example'];
    const { leaks } = setup.paymount;
    await leaks.report([{ credential, source: 'github', url: a }]);
    await leaks.report([
      { credential, source: 'forum', url: a },
      { credential, source: 'forum', url: b },
    ]);
    const mails = (await mailsTo(account)).map(({ text }) => String(text));
    expect(mails.map((text) => [text.includes(a), text.includes(b)])).to.deep.equal([
      [true, false],
      [false, true],
    ]);
  });

  it('says that it is revoked when it is, although the place was mailed before', async () => {
    const account = await setup.newAccount('Stricter', 'stricter@shop.example');
    const { secret: credential } = await setup.newKey(account);
    const exposure = { credential, source: 'github', url: 'https://a.example' };
    await setup.paymount.leaks.report([exposure]);
    const strict = await startHost(setup, { paymount: { logger: setup.log.logger } });
    try {
      for (let times = 0; times < 2; times += 1) await strict.paymount.leaks.report([exposure]);
    } finally {
      await strict.close();
    }
    expect((await mailsTo(account)).map(({ subject }) => subject)).to.deep.equal([
      'A test secret key of Stricter leaked and still works',
      'A test secret key of Stricter leaked and was revoked',
    ]);
    expect((await setup.listLeaks(account)).map(({ action }) => action)).to.deep.equal(['revoked']);
  });
});
