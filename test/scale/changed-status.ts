import { startApp, type TestApp } from '../support/app.ts';
import { ask, postJson } from '../support/ask.ts';
import { query } from '../support/database.ts';
import { startReceiver } from '../support/receiver.ts';
import { type Hook, webhookSetting } from '../support/webhook-setting.ts';
import type { Scenario } from './scenario.ts';

const MOST_MS = 1_000;
const MOST_LAG_MS = 5_000;
/** As far as the answer that enables an endpoint counts. */
const MOST_COUNTED = 10_000;

interface Run {
  readonly app: TestApp;
  readonly hook: Hook;
  readonly violations: string[];
  readonly figures: Record<string, number>;
  /** Sends an event to another endpoint. @returns how long it took to arrive, in milliseconds */
  readonly sendFresh: () => Promise<number>;
}

/** One endpoint is disabled and enabled, while many of its deliveries are unfinished. */
export const changedStatus: Scenario = {
  name: 'changed-status',
  law: 'However many deliveries wait, an endpoint is disabled and enabled at once, and they follow in steps.',
  sizes: { small: 10_000, whole: 100_000 },
  async run(size) {
    const [failing, healthy] = [await startReceiver(), await startReceiver()];
    const app = await startApp();
    try {
      const setting = webhookSetting(app);
      const hook = await setting.register(failing.url);
      failing.otherwise(500);
      await setting.publish();
      await app.worker.drain();
      await addPending(app, hook, size - 1);
      await setting.register(healthy.url);
      const sendFresh = async () => {
        const [count, startedMs] = [healthy.requests.length, performance.now()];
        await setting.publish();
        await healthy.waitFor(count + 1, 60_000);
        return performance.now() - startedMs;
      };
      const run: Run = { app, hook, violations: [], figures: {}, sendFresh };
      await change(run, { disabled: true }, ['pending', 'parked']);
      failing.otherwise(200);
      const { resuming } = await change(run, { disabled: false }, ['parked', 'pending']);
      if (resuming !== Math.min(size, MOST_COUNTED)) run.violations.push(`${resuming} resume.`);
      run.violations.push(...(await findLost(run, size)));
      return run;
    } finally {
      await app.close();
      await failing.close();
      await healthy.close();
    }
  },
};

/** Copies the one delivery of the endpoint; copies are replays, which may repeat an event. */
async function addPending({ databaseUrl }: TestApp, { id }: Hook, count: number): Promise<void> {
  await query(
    databaseUrl,
    `INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
       origin, state, attempt, due_at, created)
     SELECT account_id, livemode, 'dlv_' || lpad(n::text, 26, '0'), event_id, endpoint_id,
       event_type, 'replay', 'pending', 2, due_at + interval '1 day', created
     FROM paymount.deliveries, generate_series(1, $2::integer) n WHERE endpoint_id = $1`,
    [id, count],
  );
}

/** Changes the endpoint, and watches through the API how its deliveries pass from state to state. */
async function change(
  { app, hook, violations, figures, sendFresh }: Run,
  body: { readonly disabled: boolean },
  [from, to]: readonly [string, string],
): Promise<Readonly<Record<string, unknown>>> {
  const has = async (status: string): Promise<boolean> => {
    const path = `/v1/deliveries?endpoint=${hook.id}&status=${status}&limit=1`;
    const { json } = await ask(app.url + path, { key: app.secretKey });
    return (json['data'] as readonly unknown[]).length > 0;
  };
  const startedMs = performance.now();
  const path = `/v1/webhook_endpoints/${hook.id}`;
  const answer = await postJson(app.url + path, body, { key: app.secretKey });
  const answeredMs = performance.now() - startedMs;
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
  if (answeredMs > MOST_MS) violations.push(`The change to ${to} took ${answeredMs} ms.`);
  let isInSteps = false;
  let lagMs = 0;
  for (let left = true; left; ) {
    lagMs = Math.max(lagMs, await sendFresh());
    const moved = await has(to);
    left = await has(from);
    isInSteps ||= moved && left;
  }
  if (!isInSteps) violations.push(`No step to ${to} was to be seen.`);
  if (lagMs > MOST_LAG_MS) violations.push(`An event at another endpoint took ${lagMs} ms.`);
  figures[`answer, to ${to}, ms`] = Math.round(answeredMs);
  figures[`all ${to}, ms`] = Math.round(performance.now() - startedMs);
  figures[`event elsewhere, to ${to}, most ms`] = Math.round(lagMs);
  return answer.json;
}

/** Each delivery is unfinished or has succeeded, and kept its number of attempts. */
async function findLost({ app, hook }: Run, size: number): Promise<readonly string[]> {
  const [row] = await query<{ count: number }>(
    app.databaseUrl,
    `SELECT count(*)::integer AS count FROM paymount.deliveries WHERE endpoint_id = $1
       AND origin = 'replay' AND attempt = 2 AND state IN ('pending', 'succeeded')`,
    [hook.id],
  );
  return row?.count === size - 1 ? [] : [`${row?.count} of ${size - 1} copies are left.`];
}
