import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintKey } from '@paymount/auth';
import { expect } from 'chai';
import { readApiSettings } from '../../../packages/cli/src/api-settings.ts';

describe('the settings of the commands over HTTP', () => {
  const key = mintKey('secret', 'test');
  const env = { PAYMOUNT_API_KEY: key, PAYMOUNT_BASE_URL: 'https://pay.example/api' };

  it('come from the environment, and from options before it', () => {
    expect(readApiSettings({}, { env })).to.deep.equal({ baseUrl: 'https://pay.example/api', key });
    const folder = mkdtempSync(join(tmpdir(), 'paymount-key-'));
    const keyFile = join(folder, 'key');
    const other = mintKey('restricted', 'live');
    writeFileSync(keyFile, `${other}\n`);
    const flags = { keyFile, baseUrl: 'http://localhost:3000/' };
    expect(readApiSettings(flags, { env })).to.deep.equal({
      baseUrl: 'http://localhost:3000',
      key: other,
    });
    rmSync(folder, { recursive: true });
    expect(() => readApiSettings({ keyFile }, { env })).to.throw('--key-file cannot be read');
  });

  it('are refused, with the cure, where one is missing or wrong', () => {
    for (const [changed, message] of [
      [{ PAYMOUNT_API_KEY: '' }, 'set PAYMOUNT_API_KEY'],
      [{ PAYMOUNT_API_KEY: `${key}\r\nX-A: b` }, 'holds no key'],
      [{ PAYMOUNT_API_KEY: 'whatever' }, 'holds no key'],
      [{ PAYMOUNT_BASE_URL: '' }, 'set PAYMOUNT_BASE_URL'],
      [{ PAYMOUNT_BASE_URL: 'pay.example' }, 'must be an address'],
      [{ PAYMOUNT_BASE_URL: 'http://pay.example' }, 'must begin with https'],
      [{ PAYMOUNT_BASE_URL: 'https://a:b@pay.example' }, 'a user or a password'],
      [{ PAYMOUNT_BASE_URL: 'https://pay.example?a=b' }, 'a query'],
      [{ PAYMOUNT_BASE_URL: 'https://pay.example/api/v1/' }, 'must end before /v1'],
    ] as const) {
      const given = { env: { ...env, ...changed } };
      expect(() => readApiSettings({}, given), message)
        .to.throw(message)
        .with.property('exitCode', 2);
    }
  });
});
