import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Pair {
  readonly key: string;
  readonly cert: string;
}

/** An authority of this run that signs certificates; nothing it made outlives the test. */
export interface Authority {
  /** Its own certificate, which a server is told to trust. */
  readonly ca: string;
  /** For a server on `localhost`. */
  readonly server: Pair;
  /** A client's. @param san as openssl writes it: `URI:spiffe://a/b,DNS:c` */
  client(san: string): Pair;
  remove(): void;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Makes an authority with openssl; see `needOpenssl`. */
export function makeAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'paymount-ca-'));
  const at = (file: string): string => join(folder, file);
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  };
  const authority = ['-keyout', at('ca.key'), '-out', at('ca.pem'), '-subj', '/CN=Test authority'];
  openssl('req', '-x509', '-days', '1', ...NEW_KEY, ...authority);
  let count = 0;
  const signed = (san: string): Pair => {
    count += 1;
    const [key, request, cert] = [at(`${count}.key`), at(`${count}.csr`), at(`${count}.pem`)];
    const named = ['-subj', `/CN=${count}`, '-addext', `subjectAltName=${san}`];
    openssl('req', '-new', ...NEW_KEY, ...named, '-keyout', key, '-out', request);
    const by = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'];
    openssl(
      'x509',
      '-req',
      '-days',
      '1',
      '-copy_extensions',
      'copyall',
      ...by,
      '-in',
      request,
      '-out',
      cert,
    );
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  };
  return {
    ca: readFileSync(at('ca.pem'), 'utf8'),
    server: signed('DNS:localhost'),
    client: signed,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
