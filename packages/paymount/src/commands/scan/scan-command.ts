import { type CliContext, EXIT } from '@paymount/cli';
import { Scan } from './scan.ts';
import { readAllowed } from './scan-allowed.ts';
import { counted, megabytes } from './scan-counts.ts';
import { ScanError } from './scan-error.ts';
import { type Scanned, toJson, toLine } from './scan-finding.ts';
import { shown } from './scan-name.ts';
import {
  type ReportedCredential,
  type ReportTarget,
  reportFindings,
  reportTarget,
} from './scan-report.ts';

export interface ScanFlags {
  readonly history?: true;
  /** Base of the management API. */
  readonly report?: string;
}

/** The result of `--report`. */
interface Report {
  readonly reported: ReportedCredential[];
  /** Why the rest was not reported. */
  failure?: string;
}

/**
 * `paymount scan`: finds credentials in files, and with `--history` in every commit. Needs no
 * database. It prints credentials, also those in names of files, only in the shortened form;
 * `--report` sends them in full.
 * @param path a folder or a file
 * @returns 0 nothing found; 1 found; 2 nothing found, and something could not be read
 * @throws ScanError, CommandFailure: 2 as well
 */
export async function scanCommand(
  context: CliContext,
  path: string,
  flags: ScanFlags,
): Promise<number> {
  const target = flags.report && reportTarget(flags.report, context.env['PAYMOUNT_ADMIN_TOKEN']);
  const scan = new Scan(context, await readAllowed(path));
  try {
    await read(scan, path, flags);
  } finally {
    context.progress?.('');
  }
  const scanned = scan.result();
  for (const finding of scanned.findings) context.printText(toLine(finding));
  const report = target ? await reportAll(context, target, scanned) : { reported: [] };
  printEnd(context, scanned, report);
  if (scanned.findings.length > 0) return EXIT.failed;
  return scanned.unread.length > 0 ? EXIT.usage : EXIT.done;
}

/** Findings before an error are reported too. */
async function read(scan: Scan, path: string, flags: ScanFlags): Promise<void> {
  try {
    await scan.readFiles(path);
    if (flags.history) await scan.readHistory(path);
  } catch (error) {
    if (!(error instanceof ScanError) || scan.result().findings.length === 0) throw error;
    scan.leaveUnread(shown(path), error.message);
  }
}

async function reportAll(
  context: CliContext,
  target: ReportTarget,
  { findings }: Scanned,
): Promise<Report> {
  const report: Report = { reported: [] };
  try {
    for await (const credential of reportFindings(target, findings))
      report.reported.push(credential);
  } catch (error) {
    if (!(error instanceof ScanError)) throw error;
    report.failure = error.message;
    context.printNote(`paymount: ${error.message} The rest is not reported.`);
  }
  return report;
}

function printEnd(context: CliContext, scanned: Scanned, { reported, failure }: Report): void {
  const { findings, truncated, files, commits, bytes, unread, allowed } = scanned;
  const facts = { truncated, files, commits, bytes, unread, allowed, reported };
  context.report(
    { findings: findings.map(toJson), ...facts, report_failure: failure ?? null },
    reported.map(({ redacted, matched, action }) =>
      matched ? `reported ${redacted}: ${action}` : `reported ${redacted}: not one of ours`,
    ),
  );
  context.printNote(summarize(scanned));
}

function summarize({ findings, truncated, files, commits, bytes, allowed }: Scanned): string {
  const found = findings.length === 0 ? 'No credential' : counted(findings.length, 'credential');
  const history = commits === 0 ? '' : ` and ${counted(commits, 'commit')}`;
  const known = allowed === 0 ? '' : ` ${counted(allowed, 'known specimen')} passed over.`;
  const rest = truncated ? ' There are more; the scan stopped there.' : '';
  return `${found} in ${counted(files, 'file')} (${megabytes(bytes)})${history}.${known}${rest}`;
}
