import type { EndpointSecretFacts } from '../../events/endpoints/endpoint.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type { Secret } from '../../kernel/secrets/secret.ts';
import { type Sighted, sightAll } from '../credentials/find-credentials.ts';
import type { Key } from '../keys/key.ts';
import type { Leak } from './leak.ts';

/** Of a source, in characters. */
export const MAX_SOURCE = 100;

/** Where a mail or a terminal broke a credential, and what is not seen at all. */
const BREAKS = /=?[\s\p{Cf}]+/gu;

/** A text in which somebody saw a credential of ours, and where it was seen. */
export interface Sighting {
  /** The credential, or a text that holds it, as it was pasted: each in it counts. */
  readonly credential: string | Secret<string>;
  /** Who says so: `github`, `scan`, or another name of 1 to 100 characters; `url` is our own. */
  readonly source: string;
  /** Where it was seen; what exceeds 2,048 characters is cut off. */
  readonly url?: string;
}

/** A credential that stood in the address of a request to this API. */
export type AddressSighting = Omit<Sighting, 'source'>;

/** What became of one sighting. */
export interface LeakVerdict {
  /** It holds what is, or was, a credential of this installation. */
  readonly matched: boolean;
  /** The strongest, where it holds several; `none`: of publishable keys, which are no secret. */
  readonly action: LeakAction;
}

type LeakAction = Leak['action'] | 'none';

const FROM_WEAKEST: readonly LeakAction[] = ['none', 'already_revoked', 'notified', 'revoked'];

/** The verdict on a sighting, once one more credential in it was judged. */
export function strengthened({ action }: LeakVerdict, by: LeakAction): LeakVerdict {
  const isStronger = FROM_WEAKEST.indexOf(by) > FROM_WEAKEST.indexOf(action);
  return { matched: true, action: isStronger ? by : action };
}

/** A credential of ours that was seen. */
export type Exposed = Owner & { readonly redacted: string } & (
    | { readonly kind: 'key'; readonly key: Key }
    | { readonly kind: 'signing_secret'; readonly secret: EndpointSecretFacts }
  );

/** Sightings by what they may be, before the database is asked. */
export class SightedCredentials {
  /** By SHA-256 of the credential, hexadecimal; the sightings' places in the report. */
  readonly #byHash = new Map<string, { readonly what: Sighted; readonly indexes: number[] }>();

  constructor(sightings: readonly Sighting[]) {
    for (const [index, { credential }] of sightings.entries()) {
      const text = typeof credential === 'string' ? credential : credential.reveal();
      for (const form of [text, text.replace(BREAKS, '')]) {
        for (const what of sightAll(form)) if (what.kind !== 'oauth') this.#add(what, index);
      }
    }
  }

  #add(what: Sighted, index: number): void {
    const hash = what.hash().toString('hex');
    const known = this.#byHash.get(hash);
    if (known === undefined) this.#byHash.set(hash, { what, indexes: [index] });
    else if (known.indexes.at(-1) !== index) known.indexes.push(index);
  }

  /** What the tables of one kind are asked for. */
  hashes(kind: 'key' | 'signing_secret'): readonly Buffer[] {
    return [...this.#byHash]
      .filter(([, { what }]) => what.kind === kind)
      .map(([hash]) => Buffer.from(hash, 'hex'));
  }

  /** Where in the report a credential was seen, by its hash. */
  indexesOf(hash: Uint8Array): readonly number[] {
    return this.#byHash.get(Buffer.from(hash).toString('hex'))?.indexes ?? [];
  }

  /** The only form of it that may be shown. */
  redactedOf(hash: Uint8Array): string {
    return this.#byHash.get(Buffer.from(hash).toString('hex'))?.what.redacted ?? '';
  }
}
