import { SHOP_PATHS } from '../shop-app.ts';
import { type ApiAnswer, callApi, callManagementOk, requireText } from './api-client.ts';
import { eventually } from './eventually.ts';
import { makeKey } from './make-key.ts';
import type { Setup } from './setup.ts';
import { signIn } from './sign-in.ts';
import { check, type Memory, type Step } from './step.ts';

/** The specification's limit for a change of access to take effect everywhere. */
const CHANGE_LIMIT_MS = 1_000;
const OVERLAP_SECONDS = 3_600;

/** The use of the management API by the shop's staff, behind the shop's own login. */
export const adminSteps: readonly Step[] = [
  { tries: 'a key that is rotated with an overlap', run: rotateKey },
  { tries: 'a key that leaked', run: reportLeak },
  { tries: 'the audit log', run: readAudit },
];

async function rotateKey(setup: Setup, memory: Memory): Promise<string> {
  const { test } = setup.environments;
  const { id, secret: old } = await makeKey(setup, 'Demo, to be rotated');
  const before = await callApi(test, old, '/v1/charges');
  check(before.status === 200, `The key got ${before.status}.`);
  const successor = await manage(setup, `/keys/${id}/rotate`, {
    overlap_seconds: String(OVERLAP_SECONDS),
  });
  memory.rotatedKey = id;
  const { status } = await callApi(test, requireText(successor, 'secret'), '/v1/charges');
  check(status === 200, `The new key got ${status}.`);
  const notice = await eventually('the old key to say that it ends', CHANGE_LIMIT_MS, async () => {
    const { status: oldStatus, headers } = await callApi(test, old, '/v1/charges');
    check(oldStatus === 200, `The old key got ${oldStatus}.`);
    const [deprecation, sunset] = [headers.get('deprecation'), headers.get('sunset')];
    return deprecation && sunset ? { sunset } : undefined;
  });
  const minutes = Math.round((Date.parse(notice.sunset) - Date.now()) / 60_000);
  check(minutes === OVERLAP_SECONDS / 60, `The old key ends in ${minutes} min.`);
  return `A key was rotated: the new one works, and the old one for ${minutes} min more, as its answers say (Deprecation, Sunset)`;
}

async function reportLeak(setup: Setup): Promise<string> {
  const { test } = setup.environments;
  const { redacted, secret } = await makeKey(setup, 'Demo, to be leaked');
  const before = await callApi(test, secret, '/v1/charges');
  check(before.status === 200, `The key got ${before.status}.`);
  const token = await signIn(setup);
  const reportedMs = performance.now();
  const report = { credential: secret, source: 'demo', url: 'https://forum.example/t/1' };
  const verdict = await callManagementOk(adminApi(setup), token, '/leaks', report);
  check(verdict['action'] === 'revoked', `It was answered ${JSON.stringify(verdict)}.`);
  await eventually('the leaked key to be refused', CHANGE_LIMIT_MS, async () => {
    const { status } = await callApi(test, secret, '/v1/charges');
    return status === 401 || undefined;
  });
  const ms = (performance.now() - reportedMs).toFixed(0);
  const { rows }: { rows: Record<string, unknown>[] } = await setup.database.raw(
    `SELECT to_address FROM paymount.mails
      WHERE account_id = ? AND position(? IN text) > 0 AND position(? IN text) = 0`,
    [setup.merchant.account, redacted, secret],
  );
  check(rows.length === 1, `There are ${rows.length} e-mails about it.`);
  return `A leaked key got 401 ${ms} ms after its report; the e-mail to ${String(rows[0]?.['to_address'])} committed with that`;
}

async function readAudit(setup: Setup, { rotatedKey }: Memory): Promise<string> {
  if (rotatedKey === undefined) throw new Error('No key was rotated yet.');
  const { id: actor } = setup.admin;
  const { data } = await manage(setup, `/audit?target=${rotatedKey}&actor=${actor}`);
  check(Array.isArray(data) && data.length === 1, `It says ${JSON.stringify(data)}.`);
  const { entries, faults } = await manage(setup, '/audit/verify', {
    account: setup.merchant.account,
  });
  check(Array.isArray(faults) && faults.length === 0, `It has faults: ${JSON.stringify(faults)}`);
  return `The audit log names the admin who rotated the key; the ${String(entries)} linked entries of the account verify`;
}

async function manage(
  setup: Setup,
  path: string,
  fields?: Readonly<Record<string, string>>,
): Promise<ApiAnswer['body']> {
  return callManagementOk(adminApi(setup), await signIn(setup), path, fields);
}

/** Where the shop itself mounts the management API. */
function adminApi({ shopUrl }: Setup): { readonly baseUrl: string } {
  return { baseUrl: shopUrl + SHOP_PATHS.admin };
}
