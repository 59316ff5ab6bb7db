import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { type Receiver, startReceiver } from './receiver.ts';

/** A stand-in for GitHub: a list of keys on loopback, and reports that they sign. */
export interface GithubSigner {
  /** Where the list of keys is. */
  readonly keysUrl: string;
  /** Serves the list; the script of its answers may be changed. */
  readonly list: Receiver;
  /** Serves it again, after another answer was set. */
  listen(): void;
  /** The headers of a report with this body. */
  headersFor(body: string | Buffer): Record<string, string>;
  /** Replaces the key; the old one is no longer listed. */
  rotate(): void;
  close(): Promise<void>;
}

interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly pem: string;
}

/** Starts it; `close()` it in `after`. */
export async function startGithubSigner(): Promise<GithubSigner> {
  const list = await startReceiver();
  let key = newKey();
  const listen = (): void =>
    list.otherwise(({ headers }) => {
      const etag = `"${key.id.slice(0, 16)}"`;
      if (headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
      return { status: 200, headers: { etag }, body: JSON.stringify(toKeyList(key)) };
    });
  listen();
  return {
    keysUrl: `${list.url}/meta/public_keys/secret_scanning`,
    list,
    listen,
    headersFor: (body) => signedBy(key, body),
    rotate() {
      key = newKey();
    },
    close: () => list.close(),
  };
}

function newKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  return { id: randomBytes(32).toString('hex'), privateKey, pem };
}

/** The list as GitHub writes it. */
function toKeyList({ id, pem }: SigningKey): object {
  return { public_keys: [{ key_identifier: id, key: pem, is_current: true }] };
}

function signedBy({ id, privateKey }: SigningKey, body: string | Buffer): Record<string, string> {
  return {
    'content-type': 'application/json',
    'github-public-key-identifier': id,
    'github-public-key-signature': sign('sha256', Buffer.from(body), privateKey).toString('base64'),
  };
}
