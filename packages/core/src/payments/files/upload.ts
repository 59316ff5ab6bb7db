/** The facts of an upload besides its content. */
interface UploadFacts {
  /** As the client named it, without folders. */
  readonly filename: string;
  /** As the client claims; empty if it claims nothing. */
  readonly contentType: string;
  /** SHA-256 of the content, 64 lowercase hexadecimal digits. */
  readonly digest: string;
}

/**
 * A file as it arrived, in memory. Only its facts are enumerable: the fingerprint of a request
 * contains the digest instead of the content.
 */
export class Upload implements UploadFacts {
  readonly filename: string;
  readonly contentType: string;
  readonly digest: string;
  readonly #content: Uint8Array;

  constructor(facts: UploadFacts, content: Uint8Array) {
    this.filename = facts.filename;
    this.contentType = facts.contentType;
    this.digest = facts.digest;
    this.#content = content;
  }

  /** The content, in bytes. */
  get size(): number {
    return this.#content.byteLength;
  }

  /** The content itself; do not change it. */
  read(): Uint8Array {
    return this.#content;
  }
}
