import { setTimeout as wait } from 'node:timers/promises';
import { usage } from '@paymount/cli';
import { isLoopback } from '@paymount/core/access';
import { ScanError } from './scan-error.ts';
import type { Finding } from './scan-finding.ts';
import { shown } from './scan-name.ts';

const ANSWER_LIMIT_MS = 10_000;
/** The most tries for one credential, if the management API asks to try again later. */
const MAX_TRIES = 5;
/** The maximum wait; if the server asks for more, the command gives up. */
const MAX_WAIT_SECONDS = 60;
const MAX_PLACE = 2_048;

/** The address and the token for `paymount scan --report`. */
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
 * @throws CommandFailure unless it is https (or loopback) and `PAYMOUNT_ADMIN_TOKEN` is set
 */
export function reportTarget(base: string, token: string | undefined): ReportTarget {
  if (!URL.canParse(base)) throw usage(`--report: ${shown(base)} is not a valid URL.`);
  const url = new URL(`${withoutSlashesAtEnd(base)}/leaks`);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw usage('--report sends credentials, so its URL must begin with https://.');
  }
  if (!token) {
    throw usage('--report needs a token of the management API in PAYMOUNT_ADMIN_TOKEN.');
  }
  return { url, token };
}

function withoutSlashesAtEnd(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '/') end -= 1;
  return text.slice(0, end);
}

/**
 * Posts each credential once, with the first place where it was found, and waits if the management
 * API asks for it.
 * @returns the result for each credential, as the responses arrive
 * @throws ScanError at the first one that the management API does not accept
 */
export async function* reportFindings(
  target: ReportTarget,
  findings: readonly Finding[],
): AsyncGenerator<ReportedCredential> {
  const first = new Map<string, Finding>();
  for (const finding of findings) {
    const credential = finding.found.credential.reveal();
    if (!first.has(credential)) first.set(credential, finding);
  }
  for (const [credential, finding] of first) {
    const reply = await post(target, { credential, source: 'scan', url: toPlace(finding) });
    yield { redacted: finding.found.what.redacted, ...reply };
  }
}

/** Without the line number, which changes: the owner is notified of a place once. */
function toPlace({ file, commit }: Finding): string {
  const place = commit === undefined ? file : `${commit}:${file}`;
  return place.slice(0, MAX_PLACE);
}

async function post(
  target: ReportTarget,
  body: object,
): Promise<Pick<ReportedCredential, 'matched' | 'action'>> {
  let response = await postOnce(target, body);
  for (let tries = 1; response.status === 429 && tries < MAX_TRIES; tries += 1) {
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    if (!(seconds >= 0 && seconds <= MAX_WAIT_SECONDS)) break;
    await response.body?.cancel();
    await wait(seconds * 1_000);
    response = await postOnce(target, body);
  }
  const reply: unknown = await response.json().catch(() => undefined);
  if (response.ok && isVerdict(reply)) {
    return { matched: reply.matched, action: shown(reply.action) };
  }
  const said = `${apiAt(target)} refused a report with status ${response.status}`;
  throw new ScanError(`${said}${codeIn(reply)}.${hintOn(response.status, target)}`);
}

async function postOnce(target: ReportTarget, body: object): Promise<Response> {
  try {
    return await fetch(target.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${target.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
  } catch (cause) {
    const limit = `${ANSWER_LIMIT_MS / 1_000} s`;
    throw new ScanError(`${apiAt(target)} cannot be reached, or takes longer than ${limit}.`, {
      cause,
    });
  }
}

function apiAt({ url }: ReportTarget): string {
  return `The management API at ${url.origin}`;
}

/** Interprets a response, without trusting its content. */
function hintOn(status: number, { url }: ReportTarget): string {
  if (status === 401) {
    return ' Set PAYMOUNT_ADMIN_TOKEN to a valid token of an admin.';
  }
  if (status === 403) return ' The admin of PAYMOUNT_ADMIN_TOKEN needs the permission leaks.write.';
  if (status !== 404 && status !== 405) return '';
  const path = shown(url.pathname);
  return ` There is no route for reports at ${path}: --report is the URL of the management API, without /leaks.`;
}

function isVerdict(reply: unknown): reply is { matched: boolean; action: string } {
  return (
    typeof reply === 'object' &&
    reply !== null &&
    'matched' in reply &&
    typeof reply.matched === 'boolean' &&
    'action' in reply &&
    typeof reply.action === 'string'
  );
}

function codeIn(reply: unknown): string {
  if (typeof reply !== 'object' || reply === null || !('error' in reply)) return '';
  const { error } = reply;
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? ` (${error.code})` : '';
}
