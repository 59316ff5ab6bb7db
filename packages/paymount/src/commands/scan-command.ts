import { stat } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import type { Context } from './context.ts';
import { ScanError } from './scan-error.ts';
import { filesUnder, scanFile } from './scan-files.ts';
import { type Finding, jsonOf, lineOf, type Scanned } from './scan-finding.ts';
import { countCommits, scanHistory } from './scan-history.ts';
import { type ReportedCredential, reportFindings, reportTarget } from './scan-report.ts';
import { sarifOf } from './scan-sarif.ts';
import { EXIT } from './terminal.ts';

export interface ScanFlags {
  readonly history?: true;
  /** Base of the management API. */
  readonly report?: string;
  readonly sarif?: true;
}

export interface ScanSurroundings {
  /** `PAYMOUNT_ADMIN_TOKEN`. */
  readonly adminToken: string | undefined;
  /** Of this package. */
  readonly version: string;
}

/** Beyond, one knows what one has to know. */
const MAX_FINDINGS = 10_000;
const PROGRESS_EVERY_MS = 100;
const MEGABYTE = 1_000_000;

/**
 * `paymount scan`: finds credentials in files, and with `--history` in all that was ever
 * committed. Needs no database, and shows no credential.
 * @param path a folder or a file
 * @returns 0 nothing found, 1 found; 2 comes from errors, and from files that cannot be read
 * @throws ScanError, UsageError
 */
export async function scanCommand(
  context: Context,
  path: string,
  flags: ScanFlags & ScanSurroundings,
): Promise<number> {
  const target = flags.report && reportTarget(flags.report, flags.adminToken);
  const scan = new Scan(context);
  try {
    await scan.readFiles(path);
    if (flags.history) await scan.readHistory(path);
  } finally {
    context.progress?.('');
  }
  const scanned = scan.result();
  const reported = target ? await reportFindings(target, scanned.findings) : [];
  if (flags.sarif) printSarif(context, scanned, flags.version);
  else print(context, scanned, reported);
  if (scanned.findings.length > 0) return EXIT.failed;
  return scanned.unread.length > 0 ? EXIT.usage : EXIT.done;
}

/** One run over files and history. */
class Scan {
  readonly #context: Context;
  readonly #findings: Finding[] = [];
  readonly #unread: { file: string; reason: string }[] = [];
  #truncated = false;
  #files = 0;
  #commits = 0;
  #bytes = 0;
  #shownAtMs = 0;

  constructor(context: Context) {
    this.#context = context;
  }

  async readFiles(path: string): Promise<void> {
    for await (const file of filesUnder(path)) {
      if (this.#truncated) return;
      this.#files += 1;
      await this.#readFile(file);
      this.#show(() => `${counted(this.#files, 'file')}, ${megabytes(this.#bytes)}`);
    }
  }

  async readHistory(path: string): Promise<void> {
    const folder = (await stat(path)).isDirectory() ? path : dirname(path);
    const total = (await countCommits(folder)) ?? 0;
    const onCommit = (): void => {
      this.#commits += 1;
      this.#show(() => `${this.#commits} of ${total} commits`);
    };
    for await (const placed of scanHistory(folder, onCommit)) {
      if (!this.#keep(placed)) return;
    }
  }

  result(): Scanned {
    return {
      findings: this.#findings,
      truncated: this.#truncated,
      files: this.#files,
      commits: this.#commits,
      bytes: this.#bytes,
      unread: this.#unread,
    };
  }

  async #readFile(path: string): Promise<void> {
    const file = path.split(sep).join('/');
    const onBytes = (bytes: number): void => {
      this.#bytes += bytes;
    };
    try {
      for await (const placed of scanFile(path, onBytes)) {
        if (!this.#keep({ ...placed, file })) return;
      }
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#unread.push({ file, reason: error.code });
      this.#context.remark(`paymount: ${file} cannot be read (${error.code}).`);
    }
  }

  #keep(finding: Finding): boolean {
    if (this.#findings.length >= MAX_FINDINGS) this.#truncated = true;
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

function print(context: Context, scanned: Scanned, reported: readonly ReportedCredential[]): void {
  const { findings, truncated, files, commits, bytes, unread } = scanned;
  const facts = { findings: findings.map(jsonOf), truncated, files, commits, bytes, unread };
  context.report({ ...facts, reported }, [
    ...findings.map(lineOf),
    ...reported.map(({ redacted, matched, action }) =>
      matched ? `reported ${redacted}: ${action}` : `reported ${redacted}: not one of ours`,
    ),
  ]);
  context.remark(summaryOf(scanned));
}

function printSarif(context: Context, scanned: Scanned, version: string): void {
  const sarif = sarifOf(scanned, version);
  context.report(sarif, [JSON.stringify(sarif)]);
}

function summaryOf({ findings, truncated, files, commits, bytes }: Scanned): string {
  const found = findings.length === 0 ? 'No credential' : counted(findings.length, 'credential');
  const history = commits === 0 ? '' : ` and ${counted(commits, 'commit')}`;
  const rest = truncated ? ' There are more; the scan stopped there.' : '';
  return `${found} in ${counted(files, 'file')} (${megabytes(bytes)})${history}.${rest}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`;
}

function isSystemError(error: unknown): error is Error & { code: string } {
  return (
    !(error instanceof ScanError) &&
    error instanceof Error &&
    'syscall' in error &&
    'code' in error &&
    typeof error.code === 'string'
  );
}
