import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createSigningSecret } from 'paymount-receiver/internal';
import { readListenSecret, secretFile } from '../../../packages/cli/src/listen/listen-secret.ts';
import { skipUnless } from '../../support/skip.ts';

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
    writeFileSync(join(folder, 'elsewhere'), createSigningSecret(), { mode: 0o600 });
    symlinkSync(join(folder, 'elsewhere'), file);
    expect(() => readListenSecret(file)).to.throw('is no file');
    rmSync(file);
    mkdirSync(file);
    expect(() => readListenSecret(file)).to.throw('is no file');
  });

  it('does not wait if the path is a pipe', () => {
    mkdirSync(join(folder, 'paymount'));
    execFileSync('sh', ['-c', 'mkfifo -m 600 "$0"', file]);
    expect(() => readListenSecret(file)).to.throw('is no file');
  });

  it('is refused, and not created, where other users could replace it', () => {
    const own = join(folder, 'paymount');
    mkdirSync(own);
    for (const mode of [0o720, 0o702, 0o777]) {
      chmodSync(own, mode);
      expect(() => readListenSecret(file), mode.toString(8)).to.throw('can be changed by others');
      expect(readdirSync(own)).to.deep.equal([]);
    }
    chmodSync(own, 0o755);
    const secret = readListenSecret(file);
    chmodSync(own, 0o777);
    expect(() => readListenSecret(file)).to.throw('can be changed by others');
    chmodSync(own, 0o700);
    renameSync(own, join(folder, 'moved'));
    symlinkSync(join(folder, 'moved'), own);
    expect(() => readListenSecret(file)).to.throw('is no folder');
    rmSync(own);
    renameSync(join(folder, 'moved'), own);
    expect(readListenSecret(file)).to.equal(secret);
  });

  it('is refused where it, or its folder, belongs to somebody else', () => {
    readListenSecret(file);
    const other = (process.getuid?.() ?? 0) + 1;
    expect(() => readListenSecret(file, other))
      .to.throw(`${join(folder, 'paymount')} belongs to another user`)
      .with.property('exitCode', 1);
  });

  it('is refused where the file alone belongs to somebody else', function () {
    skipUnless(process.getuid?.() === 0, 'root, who alone gives files away', this);
    readListenSecret(file);
    chownSync(file, 1, 1);
    expect(() => readListenSecret(file)).to.throw(`${file} belongs to another user`);
  });

  it('names the folder that cannot be written, and the cure', () => {
    writeFileSync(join(folder, 'occupied'), '');
    const nowhere = join(folder, 'occupied', 'paymount');
    expect(() => readListenSecret(join(nowhere, 'listen-secret')))
      .to.throw(
        `${nowhere} cannot be written (ENOTDIR). Set XDG_CONFIG_HOME to a folder that can be.`,
      )
      .with.property('exitCode', 1);
  });

  it('is stored below XDG_CONFIG_HOME, or ~/.config', () => {
    expect(secretFile({ env: { XDG_CONFIG_HOME: '/x', HOME: '/h' } })).to.equal(
      '/x/paymount/listen-secret',
    );
    for (const XDG_CONFIG_HOME of ['', 'relative', undefined]) {
      expect(secretFile({ env: { XDG_CONFIG_HOME, HOME: '/h' } })).to.equal(
        '/h/.config/paymount/listen-secret',
      );
    }
  });

  it('is never stored in the working directory', () => {
    for (const HOME of ['', 'relative', undefined]) {
      expect(secretFile({ env: { HOME } }, '/home/me')).to.equal(
        '/home/me/.config/paymount/listen-secret',
      );
      for (const home of ['', 'relative']) {
        expect(() => secretFile({ env: { HOME } }, home))
          .to.throw('set HOME or XDG_CONFIG_HOME')
          .with.property('exitCode', 1);
      }
    }
  });
});
