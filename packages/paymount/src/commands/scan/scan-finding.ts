import type { FoundCredential } from '@paymount/core/access';

/** A credential, and where it stands; what is printed of it is the redacted form. */
export interface Finding {
  /** As it may be shown; `/` between folders. In a diff: below the root of the repository. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Present when the history was read: the commit that added it. */
  readonly commit?: string;
  readonly found: FoundCredential;
}

export interface Scanned {
  readonly findings: readonly Finding[];
  /** More were there than are listed. */
  readonly truncated: boolean;
  readonly files: number;
  readonly commits: number;
  readonly bytes: number;
  /** Known specimens that were passed over. */
  readonly allowed: number;
  /** Places that could not be read, and why. */
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
