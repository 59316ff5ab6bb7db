import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintKey } from '@paymount/core/access';
import { expect } from 'chai';
import { readApiSettings } from '../../../packages/cli/src/api-settings.ts';

describe('the settings of the commands over HTTP', () => {
  const key = mintKey('secret', 'test');
  const env = { PAYMOUNT_API_KEY: key, PAYMOUNT_BASE_URL: 'https://pay.example/api' };

  let notes: string[];
  const printNote = (line: string): void => void notes.push(line);

  beforeEach(() => {
    notes = [];
  });

  it('come from the environment, and from options before it', () => {
    expect(readApiSettings({}, { env, printNote })).to.deep.equal({
      baseUrl: 'https://pay.example/api',
      key,
    });
    const folder = mkdtempSync(join(tmpdir(), 'paymount-key-'));
    const keyFile = join(folder, 'key');
    const other = mintKey('restricted', 'live');
    writeFileSync(keyFile, `${other}\n`, { mode: 0o600 });
    const flags = { keyFile, baseUrl: 'http://localhost:3000/' };
    expect(readApiSettings(flags, { env, printNote })).to.deep.equal({
      baseUrl: 'http://localhost:3000',
      key: other,
    });
    rmSync(folder, { recursive: true });
    expect(() => readApiSettings({ keyFile }, { env, printNote }))
      .to.throw(/^--key-file cannot be read \(ENOENT\)\.$/)
      .with.property('exitCode', 2);
    expect(notes).to.deep.equal([]);
  });

  it('take the key as a whole line', () => {
    for (const text of [`${key}\n`, `  ${key}\r\n`]) {
      const given = { env: { ...env, PAYMOUNT_API_KEY: text }, printNote };
      expect(readApiSettings({}, given).key).to.equal(key);
    }
  });

  it('accept whole keys of any issuer, and refuse a key that lost or changed a character', () => {
    const keyOf = (text: string): string =>
      readApiSettings({}, { env: { ...env, PAYMOUNT_API_KEY: text }, printNote }).key;
    for (const tag of ['pm', 'a1B2c3D4']) {
      for (const type of ['secret', 'restricted', 'publishable'] as const) {
        const whole = mintKey(type, 'test', tag);
        expect(keyOf(whole)).to.equal(whole);
        const other = whole.endsWith('0') ? '1' : '0';
        for (const wrong of [whole.slice(0, -3), `${whole.slice(0, -1)}${other}`, `${whole}0`]) {
          expect(() => keyOf(wrong), `${tag} ${type}`)
            .to.throw('does not contain a complete key')
            .with.property('exitCode', 2);
        }
      }
    }
  });

  it('print a note when others can read the file of the key', () => {
    const folder = mkdtempSync(join(tmpdir(), 'paymount-key-'));
    const keyFile = join(folder, 'key');
    writeFileSync(keyFile, key);
    for (const [mode, said] of [
      [0o600, 0],
      [0o640, 1],
      [0o604, 1],
    ] as const) {
      notes = [];
      chmodSync(keyFile, mode);
      expect(readApiSettings({ keyFile }, { env, printNote }).key).to.equal(key);
      expect(notes.length, mode.toString(8)).to.equal(said);
    }
    expect(notes.join()).to.include('can be read by others');
    rmSync(folder, { recursive: true });
  });

  it('are refused, with the cure, where one is missing or wrong', () => {
    for (const [changed, message] of [
      [{ PAYMOUNT_API_KEY: '' }, 'set PAYMOUNT_API_KEY'],
      [{ PAYMOUNT_API_KEY: `${key}\r\nX-A: b` }, 'does not contain a complete key'],
      [{ PAYMOUNT_API_KEY: 'whatever' }, 'does not contain a key'],
      [{ PAYMOUNT_BASE_URL: '' }, 'set PAYMOUNT_BASE_URL'],
      [{ PAYMOUNT_BASE_URL: 'pay.example' }, 'must be an address'],
      [{ PAYMOUNT_BASE_URL: 'http://pay.example' }, 'must begin with https'],
      [{ PAYMOUNT_BASE_URL: 'https://a:b@pay.example' }, 'a user or a password'],
      [{ PAYMOUNT_BASE_URL: 'https://pay.example?a=b' }, 'a query'],
      [{ PAYMOUNT_BASE_URL: 'https://pay.example/api/v1/' }, 'must end before /v1'],
    ] as const) {
      const given = { env: { ...env, ...changed }, printNote };
      expect(() => readApiSettings({}, given), message)
        .to.throw(message)
        .with.property('exitCode', 2);
    }
  });
});
