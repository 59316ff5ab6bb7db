import type { EndpointSecretFacts } from '../../events/endpoints/endpoint.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type { Secret } from '../../kernel/secrets/secret.ts';
import {
  type RecognizedCredential,
  recognizeCredentials,
} from '../credentials/find-credentials.ts';
import type { OAuthCredential } from '../credentials/key-format.ts';
import type { Key } from '../keys/key.ts';
import type { Leak } from './leak.ts';

/** The maximum length of a source, in characters. */
export const MAX_SOURCE = 100;

/** Line breaks that a mail or a terminal puts into a credential, and invisible characters. */
const BREAKS = /=?[\s\p{Cf}]+/gu;

/** A text in which somebody saw one of our credentials, and its location. */
export interface Exposure {
  /** The credential, or a text that contains it, as it was pasted: each credential in it counts. */
  readonly credential: string | Secret<string>;
  /** The reporter: `github`, `scan`, or another name of 1 to 100 characters; `url` is reserved. */
  readonly source: string;
  /** The location; only the first 2,048 characters are stored. */
  readonly url?: string;
}

/** A credential in the URL of a request to this API. */
export type UrlExposure = Omit<Exposure, 'source'>;

/** The result of one exposure. */
export interface LeakVerdict {
  /** It contains a current or former credential of this installation. */
  readonly matched: boolean;
  /**
   * The strongest action if it contains several; `none` for publishable keys, which are not secret.
   */
  readonly action: LeakAction;
}

type LeakAction = Leak['action'] | 'none';

const FROM_WEAKEST: readonly LeakAction[] = ['none', 'already_revoked', 'notified', 'revoked'];

/** The verdict on an exposure, after one more of its credentials was handled. */
export function strongerVerdict({ action }: LeakVerdict, by: LeakAction): LeakVerdict {
  const isStronger = FROM_WEAKEST.indexOf(by) > FROM_WEAKEST.indexOf(action);
  return { matched: true, action: isStronger ? by : action };
}

/** A leaked credential of this installation. */
export type ExposedCredential = Owner & { readonly redacted: string } & (
    | { readonly kind: 'key'; readonly key: Key }
    | { readonly kind: 'signing_secret'; readonly secret: EndpointSecretFacts }
  );

/** A credential of OAuth in a report, and the positions of its exposures. */
export interface ReportedOAuth {
  readonly type: OAuthCredential;
  readonly redacted: string;
  readonly hash: Uint8Array;
  readonly indexes: readonly number[];
}

/** Exposures grouped by kind, before the database is queried. */
export class ReportedCredentials {
  /** By SHA-256 of the credential, hexadecimal; the positions of the exposures in the report. */
  readonly #byHash = new Map<
    string,
    { readonly what: RecognizedCredential; readonly indexes: number[] }
  >();

  constructor(exposures: readonly Exposure[]) {
    for (const [index, { credential }] of exposures.entries()) {
      const text = typeof credential === 'string' ? credential : credential.reveal();
      for (const form of [text, text.replace(BREAKS, '')]) {
        for (const what of recognizeCredentials(form)) this.#add(what, index);
      }
    }
  }

  #add(what: RecognizedCredential, index: number): void {
    const hash = what.hash().toString('hex');
    const known = this.#byHash.get(hash);
    if (known === undefined) this.#byHash.set(hash, { what, indexes: [index] });
    else if (known.indexes.at(-1) !== index) known.indexes.push(index);
  }

  /** The look-up of one kind. */
  hashes(kind: 'key' | 'signing_secret'): readonly Buffer[] {
    return [...this.#byHash]
      .filter(([, { what }]) => what.kind === kind)
      .map(([hash]) => Buffer.from(hash, 'hex'));
  }

  /** The credentials of OAuth. */
  oauth(): readonly ReportedOAuth[] {
    return [...this.#byHash].flatMap(([hash, { what, indexes }]) => {
      if (what.kind !== 'oauth') return [];
      const { type, redacted } = what;
      return [{ type, redacted, hash: Buffer.from(hash, 'hex'), indexes }];
    });
  }

  /** The positions of a credential in the report, by its hash. */
  findIndexes(hash: Uint8Array): readonly number[] {
    return this.#byHash.get(Buffer.from(hash).toString('hex'))?.indexes ?? [];
  }

  /** Its masked form. */
  findRedacted(hash: Uint8Array): string {
    return this.#byHash.get(Buffer.from(hash).toString('hex'))?.what.redacted ?? '';
  }
}
