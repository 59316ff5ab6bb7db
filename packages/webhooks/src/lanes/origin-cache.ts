const MAX_KNOWN = 1_000;

/**
 * Caches the origins of URLs, because parsing a URL for each delivery costs as much as signing it.
 */
export class OriginCache {
  readonly #origins = new Map<string, string>();

  /** @param url an `href` that registration validated */
  of(url: string): string {
    const known = this.#origins.get(url);
    if (known !== undefined) return known;
    const { origin } = new URL(url);
    if (this.#origins.size >= MAX_KNOWN) this.#origins.clear();
    this.#origins.set(url, origin);
    return origin;
  }
}
