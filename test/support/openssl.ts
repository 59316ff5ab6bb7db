import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { skipWithout } from './skip.ts';

export const VERSIONS = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;
export type Version = (typeof VERSIONS)[number];

const FLAGS: Readonly<Record<Version, string>> = {
  TLSv1: '-tls1',
  'TLSv1.1': '-tls1_1',
  'TLSv1.2': '-tls1_2',
  'TLSv1.3': '-tls1_3',
};
/** OpenSSL 3 offers 1.0 and 1.1 at this level only. */
const ANY_CIPHER = 'DEFAULT@SECLEVEL=0';
const ANSWER_LIMIT_MS = 10_000;
const CURE = 'install openssl (in Debian: apt-get install openssl)';

/**
 * Skips the tests of the calling hook, loudly, where there is no openssl.
 * @throws Error in CI, where a skipped test would go unnoticed
 */
export async function needOpenssl(hook: Mocha.Context): Promise<void> {
  try {
    await promisify(execFile)('openssl', ['version']);
  } catch {
    if (process.env['CI']) throw new Error(`There is no openssl: ${CURE}.`);
    skipWithout(`openssl (${CURE})`, hook);
  }
}

/** A certificate for `localhost` with an RSA key, both of this run, valid for a day. */
export async function makeCertificate(): Promise<{ readonly key: string; readonly cert: string }> {
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1'];
  const named = ['-subj', '/CN=localhost', '-keyout', '-', '-out', '-'];
  const { stdout } = await promisify(execFile)('openssl', [...args, ...named]);
  const [key = '', cert = ''] = ['PRIVATE KEY', 'CERTIFICATE'].map(
    (what) => new RegExp(`-+BEGIN ${what}-+[\\s\\S]*-+END ${what}-+`).exec(stdout)?.[0],
  );
  return { key, cert };
}

/** What a client of one version got from a server. */
export type Handshake =
  /** An answer: its status, and the code of an error. */
  | { readonly version: Version; readonly status: number; readonly code: string }
  /** An alert of the server's; 70 is `protocol_version`, 40 `handshake_failure` (RFC 8446). */
  | { readonly alert: number };

export interface Asked {
  readonly port: number;
  readonly version: Version;
  readonly path: string;
  /** A list of OpenSSL's. @defaultValue any */
  readonly cipher?: string;
}

/** Asks as another program, openssl's client, which speaks exactly this version. */
export async function handshake({ port, version, path, cipher }: Asked): Promise<Handshake> {
  const client = spawn(
    'openssl',
    [
      's_client',
      '-connect',
      `127.0.0.1:${port}`,
      '-servername',
      'localhost',
      '-ign_eof',
      FLAGS[version],
      '-cipher',
      cipher ?? ANY_CIPHER,
    ],
    { timeout: ANSWER_LIMIT_MS },
  );
  // The server may have cut it off before the request is written.
  client.stdin.on('error', () => undefined);
  client.stdin.end(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  let said = '';
  for (const stream of [client.stdout, client.stderr]) {
    stream.on('data', (bytes: Buffer) => {
      said += bytes.toString();
    });
  }
  await once(client, 'close');
  const alert = /SSL alert number (\d+)/.exec(said)?.[1];
  if (alert !== undefined) return { alert: Number(alert) };
  const status = /^HTTP\/1\.1 (\d{3})/m.exec(said)?.[1];
  const spoken = VERSIONS.find((known) => new RegExp(`Protocol +: ${known}$`, 'm').test(said));
  if (status === undefined || spoken === undefined) throw new Error(`openssl said: ${said}`);
  const code = /"code":"(\w+)"/.exec(said)?.[1] ?? '';
  return { version: spoken, status: Number(status), code };
}
