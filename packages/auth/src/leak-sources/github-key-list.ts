import { createPublicKey, type KeyObject } from 'node:crypto';
import { isLoopback } from '@paymount/core/access';
import { readProperty } from '@paymount/core/kernel';

/** The URL of GitHub's public keys for reports. */
const GITHUB_KEYS_URL = 'https://api.github.com/meta/public_keys/secret_scanning';

const ANSWER_LIMIT_MS = 5_000;
const MAX_BYTES = 262_144;

/** The published keys, by their identifiers. */
export interface KeyList {
  readonly keys: ReadonlyMap<string, KeyObject>;
  /** The ETag for the next request, so that an unchanged list costs nothing. */
  readonly etag?: string;
}

/**
 * Asks for the list of keys.
 * @param etag of the known list
 * @throws if the list could not be fetched
 */
export type FetchKeyList = (etag: string | undefined) => Promise<KeyList | 'unchanged'>;

/**
 * The list as GitHub publishes it: `public_keys[]{key_identifier, key (PEM), is_current}`.
 * @param url of HTTPS, or of this machine @defaultValue GitHub's own
 * @throws Error for another URL: somebody who can change the list can report as GitHub
 */
export function githubKeyList(url: string = GITHUB_KEYS_URL): FetchKeyList {
  assertTrusted(url);
  return async (etag) => {
    const response = await fetch(url, {
      headers: {
        accept: 'application/json',
        // GitHub refuses requests without one.
        'user-agent': 'paymount',
        ...(etag === undefined ? {} : { 'if-none-match': etag }),
      },
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    if (response.status === 304 && etag !== undefined) return 'unchanged';
    if (!response.ok) throw new Error(`The key list was answered with ${response.status}.`);
    const keys = parseKeyList(JSON.parse(await readText(response)));
    const newEtag = response.headers.get('etag');
    return newEtag === null ? { keys } : { keys, etag: newEtag };
  };
}

function assertTrusted(url: string): void {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : {};
  if (protocol === 'https:') return;
  if (protocol === 'http:' && isLoopback(hostname ?? '')) return;
  throw new Error(
    '`leaks.github.keysUrl` must begin with https://, or http:// and a loopback host.',
  );
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = response.body ?? [];
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`The key list exceeds ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Retired keys are listed too, for reports that are still in progress. */
function parseKeyList(list: unknown): ReadonlyMap<string, KeyObject> {
  const entries = readProperty(list, 'public_keys');
  if (!Array.isArray(entries)) throw new Error('The key list has no public_keys.');
  const keys = new Map<string, KeyObject>();
  for (const entry of entries) {
    const [id, pem] = [readProperty(entry, 'key_identifier'), readProperty(entry, 'key')];
    const key = typeof pem === 'string' ? parseP256Key(pem) : undefined;
    if (typeof id === 'string' && key !== undefined) keys.set(id, key);
  }
  return keys;
}

/** Skips keys of other kinds, because their signatures are not accepted. */
function parseP256Key(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}
