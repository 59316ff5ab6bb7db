import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigningSecret } from '@paymount/signature';
import { expect } from 'chai';
import { readListenSecret, secretFile } from '../../../packages/cli/src/listen/listen-secret.ts';

describe('the secret that signs what is forwarded', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'paymount-secret-'));
    file = join(folder, 'paymount', 'listen-secret');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is made once, and nothing is left beside it', () => {
    const secret = readListenSecret(file);
    expect(readListenSecret(file)).to.equal(secret);
    expect(readdirSync(join(folder, 'paymount'))).to.deep.equal(['listen-secret']);
  });

  it('is refused, and not shown, where others could read or have changed it', () => {
    mkdirSync(join(folder, 'paymount'));
    writeFileSync(file, createSigningSecret(), { mode: 0o600 });
    for (const mode of [0o640, 0o604, 0o620, 0o666]) {
      chmodSync(file, mode);
      expect(() => readListenSecret(file), mode.toString(8)).to.throw('can be read by others');
    }
    chmodSync(file, 0o600);
    writeFileSync(file, 'something else');
    expect(() => readListenSecret(file)).to.throw(/holds no signing secret/);
    rmSync(file);
    symlinkSync(join(folder, 'elsewhere'), file);
    expect(() => readListenSecret(file)).to.throw('is no file');
  });

  it('says so when it cannot be kept', () => {
    writeFileSync(join(folder, 'paymount'), '');
    expect(() => readListenSecret(file))
      .to.throw('cannot be kept')
      .with.property('exitCode', 1);
  });

  it('stands below XDG_CONFIG_HOME, or .config at home', () => {
    expect(secretFile({ env: { XDG_CONFIG_HOME: '/x', HOME: '/h' } })).to.equal(
      '/x/paymount/listen-secret',
    );
    for (const XDG_CONFIG_HOME of ['', 'relative', undefined]) {
      expect(secretFile({ env: { XDG_CONFIG_HOME, HOME: '/h' } })).to.equal(
        '/h/.config/paymount/listen-secret',
      );
    }
  });
});
