import { paymount, toJson } from '../support/run-command.ts';

/** A line of its report. */
export interface Finding {
  readonly subject: string;
  readonly verdict: string;
  readonly message: string;
}

/** What `paymount doctor` finds. */
export async function doctor(env: Record<string, string>, ...args: readonly string[]) {
  const outcome = await paymount(env, 'doctor', '--json', ...args);
  const findings = toJson(outcome)['findings'] as readonly Finding[];
  const found = (subject: string): Finding | undefined =>
    findings.find((each) => each.subject === subject && each.verdict !== 'ok') ??
    findings.find((each) => each.subject === subject);
  return { exitCode: outcome.exitCode, ok: toJson(outcome)['ok'], findings, found };
}
