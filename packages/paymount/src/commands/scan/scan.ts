import { sep } from 'node:path';
import type { CliContext } from '@paymount/cli';
import { findFolder } from './scan-allowed.ts';
import { counted, megabytes } from './scan-counts.ts';
import { describeReadError, filesUnder, scanFile } from './scan-files.ts';
import type { Finding, Scanned } from './scan-finding.ts';
import { scanHistory } from './scan-history.ts';
import { shown } from './scan-name.ts';

/** The limit of the list; more findings would not help. */
const MAX_FINDINGS = 10_000;
const PROGRESS_EVERY_MS = 100;

/** One run over files and history. */
export class Scan {
  readonly #context: CliContext;
  readonly #findings: Finding[] = [];
  readonly #unread: { file: string; reason: string }[] = [];
  readonly #allowed: ReadonlySet<string>;
  #passedOver = 0;
  #truncated = false;
  #files = 0;
  #commits = 0;
  #bytes = 0;
  #shownAtMs = 0;

  /** @param allowed SHA-256 of the credentials to ignore, hexadecimal */
  constructor(context: CliContext, allowed: ReadonlySet<string>) {
    this.#context = context;
    this.#allowed = allowed;
  }

  async readFiles(path: string): Promise<void> {
    for await (const { path: file, reason } of filesUnder(path)) {
      if (this.#truncated) return;
      if (reason === undefined) await this.#readFile(file);
      else this.leaveUnread(displayName(file), reason);
      this.#show(() => `${counted(this.#files, 'file')}, ${megabytes(this.#bytes)}`);
    }
  }

  async readHistory(path: string): Promise<void> {
    const onCommit = (): void => {
      this.#commits += 1;
      this.#show(() => counted(this.#commits, 'commit'));
    };
    for await (const placed of scanHistory(await findFolder(path), onCommit)) {
      if (!this.#keep(placed)) return;
    }
  }

  /** @param file as it may be shown */
  leaveUnread(file: string, reason: string): void {
    this.#unread.push({ file, reason });
    this.#context.printNote(`paymount: ${file} cannot be read (${reason}).`);
  }

  result(): Scanned {
    return {
      findings: this.#findings,
      truncated: this.#truncated,
      files: this.#files,
      commits: this.#commits,
      bytes: this.#bytes,
      unread: this.#unread,
      allowed: this.#passedOver,
    };
  }

  async #readFile(path: Buffer): Promise<void> {
    this.#files += 1;
    const file = displayName(path);
    const onBytes = (bytes: number): void => {
      this.#bytes += bytes;
    };
    try {
      for await (const placed of scanFile(path, onBytes)) {
        if (!this.#keep({ ...placed, file })) return;
      }
    } catch (error) {
      const reason = describeReadError(error);
      if (reason === undefined) throw error;
      this.leaveUnread(file, reason);
    }
  }

  #keep(finding: Finding): boolean {
    if (this.#allowed.has(finding.found.what.hash().toString('hex'))) this.#passedOver += 1;
    else if (this.#findings.length >= MAX_FINDINGS) this.#truncated = true;
    else this.#findings.push(finding);
    return !this.#truncated;
  }

  #show(text: () => string): void {
    const { progress } = this.#context;
    if (progress === undefined) return;
    const nowMs = performance.now();
    if (nowMs - this.#shownAtMs < PROGRESS_EVERY_MS) return;
    this.#shownAtMs = nowMs;
    progress(`Scanned ${text()}; ${this.#findings.length} found`);
  }
}

/** `/` between folders. */
function displayName(path: Buffer): string {
  return shown(path.toString().split(sep).join('/'));
}
