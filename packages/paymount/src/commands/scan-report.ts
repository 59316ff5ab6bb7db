import { ScanError } from './scan-error.ts';
import type { Finding } from './scan-finding.ts';
import { UsageError } from './terminal.ts';

const ANSWER_LIMIT_MS = 10_000;
const MAX_PLACE = 2_048;
const LOOPBACK = /^(localhost|127\.[0-9.]+|\[::1\])$/;

/** Where `paymount scan --report` posts to, and as whom. */
export interface ReportTarget {
  readonly url: URL;
  readonly token: string;
}

/** What the management API did about one credential. */
export interface ReportedCredential {
  readonly redacted: string;
  readonly matched: boolean;
  readonly action: string;
}

/**
 * Reads the target of `--report`.
 * @param base of the management API, such as `https://admin.example.com/manage`
 * @throws UsageError unless it is https (or loopback) and `PAYMOUNT_ADMIN_TOKEN` is set
 */
export function reportTarget(base: string, token: string | undefined): ReportTarget {
  if (!URL.canParse(base)) throw new UsageError(`--report: ${base} is no URL.`);
  const url = new URL(`${base.replace(/\/+$/, '')}/leaks`);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.test(url.hostname))) {
    throw new UsageError('--report sends credentials, so its URL must begin with https://.');
  }
  if (!token) {
    throw new UsageError('--report needs a token of the management API in PAYMOUNT_ADMIN_TOKEN.');
  }
  return { url, token };
}

/**
 * Posts each credential once, with the first place where it stands.
 * @throws ScanError at the first one that the management API does not take
 */
export async function reportFindings(
  target: ReportTarget,
  findings: readonly Finding[],
): Promise<readonly ReportedCredential[]> {
  const first = new Map<string, Finding>();
  for (const finding of findings) {
    const credential = finding.found.credential.reveal();
    if (!first.has(credential)) first.set(credential, finding);
  }
  const reported: ReportedCredential[] = [];
  for (const [credential, finding] of first) {
    const answer = await post(target, { credential, source: 'scan', url: placeOf(finding) });
    reported.push({ redacted: finding.found.what.redacted, ...answer });
  }
  return reported;
}

/** Without the line, which moves: the same place is told to the owner once. */
function placeOf({ file, commit }: Finding): string {
  const place = commit === undefined ? file : `${commit}:${file}`;
  return place.slice(0, MAX_PLACE);
}

async function post(
  { url, token }: ReportTarget,
  body: object,
): Promise<Pick<ReportedCredential, 'matched' | 'action'>> {
  const said = `The management API at ${url.origin}`;
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
  } catch (cause) {
    throw new ScanError(
      `${said} cannot be reached, or takes longer than ${ANSWER_LIMIT_MS / 1000} s.`,
      { cause },
    );
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok && isVerdict(answer)) return { matched: answer.matched, action: answer.action };
  throw new ScanError(`${said} refused a report with status ${response.status}${codeIn(answer)}.`);
}

function isVerdict(answer: unknown): answer is { matched: boolean; action: string } {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'matched' in answer &&
    typeof answer.matched === 'boolean' &&
    'action' in answer &&
    typeof answer.action === 'string'
  );
}

function codeIn(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null || !('error' in answer)) return '';
  const { error } = answer;
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? ` (${error.code})` : '';
}
