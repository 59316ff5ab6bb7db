import type { Line } from './line.ts';

/** The most connections that are kept open without a request. */
const MAX_IDLE_LINES = 1_000;

/** The open connections without a request. Receivers and undici's keep-alive timer close them. */
export class IdleLines {
  readonly #byOrigin = new Map<string, Line[]>();
  /** All of them, the one that has been idle longest first. */
  readonly #lines = new Set<Line>();

  /** Takes the one that was used last, which the receiver has least likely closed. */
  take(origin: string): Line | undefined {
    const lines = this.#byOrigin.get(origin) ?? [];
    for (let line = lines.at(-1); line !== undefined; line = lines.at(-1)) {
      this.remove(line);
      if (line.isFree) return line;
      line.close();
    }
    return undefined;
  }

  keep(line: Line): void {
    const lines = this.#byOrigin.get(line.origin);
    if (lines === undefined) this.#byOrigin.set(line.origin, [line]);
    else lines.push(line);
    this.#lines.add(line);
    const [oldest] = this.#lines;
    if (this.#lines.size > MAX_IDLE_LINES && oldest !== undefined) {
      this.remove(oldest);
      oldest.close();
    }
  }

  remove(line: Line): void {
    if (!this.#lines.delete(line)) return;
    const lines = this.#byOrigin.get(line.origin) ?? [];
    lines.splice(lines.indexOf(line), 1);
    if (lines.length === 0) this.#byOrigin.delete(line.origin);
  }

  closeAll(): void {
    for (const line of this.#lines) line.close();
    this.#lines.clear();
    this.#byOrigin.clear();
  }
}
