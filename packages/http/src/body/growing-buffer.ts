const FIRST_BYTES = 16_384;

/**
 * Bytes that arrive in pieces of any size. They are copied, because each piece of a body in chunks
 * of one byte would need a hundred bytes of its own, and keep the memory that it was read into.
 */
export class GrowingBuffer {
  readonly #maxBytes: number;
  #bytes = Buffer.alloc(0);
  #length = 0;

  /** @param maxBytes `append` must not be called for more */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  append(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) this.#grow(length);
    piece.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  /** All bytes so far. */
  read(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Doubles the room, so that a body of n bytes is copied less than twice. */
  #grow(least: number): void {
    const room = Math.max(least, FIRST_BYTES, this.#bytes.length * 2);
    const grown = Buffer.allocUnsafe(Math.min(room, Math.max(least, this.#maxBytes)));
    this.read().copy(grown);
    this.#bytes = grown;
  }
}
