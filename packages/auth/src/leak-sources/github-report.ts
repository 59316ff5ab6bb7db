import { verify } from 'node:crypto';
import type { LeakVerdict, ReportHeaders } from '@paymount/core/access';
import { PaymountError, Secret } from '@paymount/core/kernel';
import type { GithubKeys } from './github-keys.ts';

/** A match of one of our patterns, as GitHub's secret scanning reports it. */
export interface GithubMatch {
  readonly token: Secret<string>;
  /** The name of the enrolled pattern. */
  readonly type: string;
  /** May be empty. */
  readonly url: string;
}

/** The feedback to GitHub about one match: whether the pattern found a real credential. */
export interface GithubFeedback {
  readonly token_raw: string;
  readonly token_type: string;
  readonly label: 'true_positive' | 'false_positive';
}

/** A required header of a report: its pattern, and its description. */
interface ReportHeader {
  readonly name: string;
  readonly shape: RegExp;
  readonly form: string;
}

const KEY_ID: ReportHeader = {
  name: 'Github-Public-Key-Identifier',
  shape: /^[0-9A-Za-z_-]{1,128}$/,
  form: 'a key_identifier of the published list: 1 to 128 letters, digits, _ and -',
};
const SIGNATURE: ReportHeader = {
  name: 'Github-Public-Key-Signature',
  /** DER of two integers of 32 bytes is at most 72 bytes. */
  shape: /^[A-Za-z0-9+/]{8,96}={0,2}$/,
  form: 'an ECDSA signature (P-256, SHA-256) of the raw body, in DER, written in base64',
};

/**
 * Checks the headers of a report, before its body is read: it must name a key that GitHub
 * publishes.
 * @param headers distinct, names in lower case
 * @returns a function that verifies the signature of the body: ECDSA on P-256 with SHA-256, over
 *   the raw bytes (GitHub: Secret scanning partner program); it throws `leak_report_unverified`
 * @throws PaymountError `leak_report_unverified`; `unavailable` if the keys cannot be fetched
 */
export async function githubVerifier(
  headers: ReportHeaders,
  keys: Pick<GithubKeys, 'find'>,
): Promise<(body: Buffer) => void> {
  const id = onlyOne(headers, KEY_ID);
  const signature = onlyOne(headers, SIGNATURE);
  const key = await keys.find(id);
  if (key === undefined) throw unverified('Its key is not in the published list.');
  return (body) => {
    const signed = verify('sha256', body, key, Buffer.from(signature, 'base64'));
    if (!signed)
      throw unverified(`${SIGNATURE.name} holds no signature of these bytes by that key.`);
  };
}

/**
 * Reads a verified report.
 * @returns its matches, and the number of malformed entries
 * @throws PaymountError `invalid_json`; `parameter_invalid` if no entry is a match
 */
export function readGithubReport(body: Buffer): {
  readonly matches: readonly GithubMatch[];
  readonly passedOver: number;
} {
  let report: unknown;
  try {
    report = JSON.parse(body.toString());
  } catch {
    // The parser's message repeats parts of the body, which contains credentials: it is dropped.
    throw new PaymountError('invalid_json', 'The report is not valid JSON.');
  }
  if (!Array.isArray(report)) throw new PaymountError('invalid_json', 'A report is a JSON array.');
  const matches = report.flatMap((entry) => parseMatch(entry) ?? []);
  if (report.length > 0 && matches.length === 0) {
    const message = 'Each match is an object with the texts token and type.';
    throw new PaymountError('parameter_invalid', message, { param: '[0]' });
  }
  // A malformed entry must not prevent the others from being revoked.
  return { matches, passedOver: report.length - matches.length };
}

/** @param verdicts of the matches, in their order */
export function feedbackOn(
  matches: readonly GithubMatch[],
  verdicts: readonly LeakVerdict[],
): readonly GithubFeedback[] {
  return matches.map(({ token, type }, index) => ({
    token_raw: token.reveal(),
    token_type: type,
    label: verdicts[index]?.matched ? 'true_positive' : 'false_positive',
  }));
}

function parseMatch(entry: unknown): GithubMatch | undefined {
  const { token, type, url } = { ...(isObject(entry) ? entry : {}) };
  if (typeof token !== 'string' || typeof type !== 'string') return undefined;
  return { token: new Secret(token), type, url: typeof url === 'string' ? url : '' };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function onlyOne(headers: ReportHeaders, { name, shape, form }: ReportHeader): string {
  const [value, ...others] = headers[name.toLowerCase()] ?? [];
  if (value === undefined) throw unverified(`The header ${name} is missing; it holds ${form}.`);
  if (others.length > 0) throw unverified(`The header ${name} came more than once.`);
  if (!shape.test(value)) throw unverified(`The header ${name} is malformed; it holds ${form}.`);
  return value;
}

function unverified(reason: string): PaymountError {
  const message = `The report is not signed by a known key of the reporter. ${reason}`;
  return new PaymountError('leak_report_unverified', message);
}
