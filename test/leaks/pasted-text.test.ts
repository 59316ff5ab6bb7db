import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';

describe('a credential that is reported as somebody pasted it', () => {
  let app: AdminApp;
  before(async () => {
    app = await startAdminApp();
  });
  after(() => app.close());

  const newKey = async (type: 'secret' | 'publishable' = 'secret'): Promise<string> => {
    const made = { account: app.account, livemode: false, type } as const;
    return (await app.paymount.keys.create({ ...made, name: 'leaky' })).secret;
  };
  const report = async (credential: string): Promise<Record<string, unknown>> => {
    const { status, json, text } = await app.admin('/leaks', {
      body: { credential, source: 'forum' },
    });
    expect(status, text).to.equal(200);
    return json;
  };

  const PASTED: Readonly<Record<string, (key: string) => string>> = {
    'with a line break': (key) => `${key}\n`,
    'with spaces and a carriage return': (key) => `  ${key}\r\n`,
    'in quotes': (key) => `"${key}"`,
    'in curly quotes': (key) => `“${key}”`,
    'as a setting': (key) => `PAYMOUNT_KEY=${key}`,
    'as a setting with more of the file': (key) => `A=1\nexport KEY='${key}'\nB=2\n`,
    'as a header': (key) => `Authorization: Bearer ${key}`,
    'as Basic of curl': (key) => `curl -u ${key}: https://api.example/v1/charges`,
    'in JSON': (key) => JSON.stringify({ env: { key } }, undefined, 2),
    'as a part of an address': (key) => `https://shop.example/?k=${key.replaceAll('_', '%5F')}&x`,
    'behind a byte order mark': (key) => `\ufeff${key}`,
    'broken by a terminal': (key) => `${key.slice(0, 30)}\r\n  ${key.slice(30)}`,
    'broken by a mail': (key) => `${key.slice(0, 30)}=\n${key.slice(30)}`,
    'with a place to break, which is not seen': (key) =>
      `${key.slice(0, 30)}\u200b${key.slice(30)}`,
    'in a long text': (key) => `${'x '.repeat(4_900)}${key}`,
  };
  for (const [how, pasted] of Object.entries(PASTED)) {
    it(`is revoked: ${how}`, async () => {
      expect(await report(pasted(await newKey()))).to.deep.equal({
        object: 'leak_verdict',
        matched: true,
        action: 'revoked',
      });
    });
  }

  it('is checked with every other credential in the text; the response has the strongest action', async () => {
    const [one, other, harmless] = [await newKey(), await newKey(), await newKey('publishable')];
    await report(other);
    expect(await report(`A=${other}\nB=${one}\nC=${harmless}\nD=${one}`)).to.include({
      matched: true,
      action: 'revoked',
    });
    for (const key of [one, other]) {
      expect(await report(key)).to.include({ matched: true, action: 'already_revoked' });
    }
    expect(await report(`C=${harmless}`)).to.include({ matched: true, action: 'none' });
  });

  it('is not ours when the text holds nothing of ours, and is refused when it is too long', async () => {
    expect(await report('Authorization: Bearer nothing')).to.include({
      matched: false,
      action: 'none',
    });
    const { status, error } = await app.admin('/leaks', {
      body: { credential: 'x'.repeat(10_001), source: 'forum' },
    });
    expect([status, error['code'], error['param']]).to.deep.equal([
      400,
      'parameter_invalid',
      'credential',
    ]);
  });
});
