import type { FoundCredential } from '@paymount/core/access';

/** A credential and its place; only the redacted form is printed. */
export interface Finding {
  /** As it may be shown; `/` between folders. In a diff: below the root of the repository. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The commit that added it; present only for the history. */
  readonly commit?: string;
  readonly found: FoundCredential;
}

export interface Scanned {
  readonly findings: readonly Finding[];
  /** There are more findings than listed. */
  readonly truncated: boolean;
  readonly files: number;
  readonly commits: number;
  readonly bytes: number;
  /** The number of known examples that were skipped. */
  readonly allowed: number;
  /** Unreadable places, with the reason. */
  readonly unread: readonly { readonly file: string; readonly reason: string }[];
}

/** What a finding is, in words. */
function describeCredential({ found: { what } }: Finding): string {
  if (what.kind === 'signing_secret') return 'signing secret';
  return what.kind === 'oauth' ? 'OAuth credential' : `${what.type} key`;
}

/** One line: file, line, column; commit; what it is. */
export function toLine(finding: Finding): string {
  const { file, line, column, commit } = finding;
  const place = `${file}:${line}:${column}`;
  const where = commit === undefined ? place : `${place} in commit ${commit.slice(0, 12)}`;
  return `${where}: ${describeCredential(finding)} ${finding.found.what.redacted}`;
}

/** The same as an object. */
export function toJson(finding: Finding): Record<string, unknown> {
  const { file, line, column, commit = null, found } = finding;
  const type = found.what.kind === 'key' ? `${found.what.type}_key` : found.what.kind;
  return { file, line, column, commit, type, redacted: found.what.redacted };
}
