import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, FORM } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { connectTwo } from '../support/connect-platform.ts';
import { makeAccount, makeKey } from '../support/credentials.ts';
import { formText } from '../support/form-text.ts';
import { LiveBank } from '../support/live-bank.ts';
import { type Belongings, makeBelongings } from '../support/owned-objects.ts';
import { pathTo } from '../support/route-row.ts';
import { V1_ROUTES } from '../support/route-table.ts';
import { Stopwatch, seeded, signTest, type TimedRequest } from '../support/timing.ts';

const PAIRS = 64;
/** Four times as many, of which a busy machine may turn round a third. */
const PAIRS_THAT_DIFFER = 256;
/** Standard deviations; by chance once in 1.7 million comparisons. */
const BOUND = 5;

describe('the time that an answer takes', () => {
  let app: TestApp;
  let own: Belongings;
  /** Another account in the same environment, and the same account in the other. */
  let strangers: readonly { readonly url: string; readonly key: string }[];
  const stopwatch = new Stopwatch();
  const random = seeded(20_261_121);

  before(async function () {
    this.timeout(30_000);
    app = await startApp({
      mount: (host, paymount) => {
        host.use('/test', paymount.router({ environment: 'test' }));
        host.use('/live', paymount.router({ environment: 'live' }));
      },
      paymount: { processors: { live: new LiveBank(fakeClock()) } },
    });
    const { paymount, account, url } = app;
    const { id: spareKey } = await makeKey(paymount, account);
    const applications = await connectTwo(paymount, account);
    own = await makeBelongings({
      url: `${url}/test`,
      key: app.secretKey,
      spareKey,
      app,
      applications,
    });
    const other = await makeAccount(paymount, 'Another shop');
    const sameAccount = await makeKey(paymount, account, { environment: 'live' });
    strangers = [
      { url: `${url}/test`, key: (await makeKey(paymount, other)).secret },
      { url: `${url}/live`, key: sameAccount.secret },
    ];
    await app.worker.close();
  });
  after(async () => {
    stopwatch.close();
    await app.close();
  });

  /** Measures two requests in pairs, each pair in random order. */
  async function compare(one: TimedRequest, other: TimedRequest, count = PAIRS): Promise<number> {
    const pairs: [number, number][] = [];
    for (let warmUp = 0; warmUp < 3; warmUp += 1) {
      await stopwatch.time(one);
      await stopwatch.time(other);
    }
    while (pairs.length < count) {
      if (random() < 0.5) {
        pairs.push([await stopwatch.time(one), await stopwatch.time(other)]);
      } else {
        const second = await stopwatch.time(other);
        pairs.push([await stopwatch.time(one), second]);
      }
    }
    return signTest(pairs);
  }

  it('does not tell an object of somebody else from one that never was', async function () {
    this.timeout(180_000);
    const deviations: Record<string, number> = {};
    for (const [index, { url, key }] of strangers.entries()) {
      for (const route of V1_ROUTES.filter(({ name }) => name.includes('{id}'))) {
        const { name, method, pattern } = route;
        // The second one is the same account.
        if (index === 1 && pattern.startsWith('/v1/accounts/')) continue;
        const path = url + pathTo(route, own);
        // The id in the path is looked up after the parameters that a route needs.
        const { error } = await ask(path, { method, key });
        // Live has no test clocks.
        if (error['code'] === 'test_mode_only') continue;
        const needsBody = error['code'] === 'parameter_missing';
        const form = { headers: FORM, body: formText(route.body?.(own, false) ?? {}) };
        const foreign = { url: path, method, key, ...(needsBody ? form : {}) };
        const unknown = { ...foreign, url: foreign.url.replace(/....(?=$|\/[a-z_]+$)/, 'zzzz') };
        expect(unknown.url).to.not.equal(foreign.url);
        const { status } = await ask(foreign.url, foreign);
        expect(status, name).to.equal(404);
        deviations[`${index} ${name}`] = await compare(foreign, unknown);
      }
    }
    const told = Object.entries(deviations).filter(([, deviation]) => Math.abs(deviation) > BOUND);
    expect(told).to.deep.equal([]);
  });

  it('does tell what takes a few queries more, so that the measure is worth something', async () => {
    const url = `${app.url}/test/v1/charges/${own.charge}`;
    const plain = { url, method: 'GET', key: app.secretKey };
    const fields = ['payment_method', 'balance_transaction', 'refunds.data.balance_transaction'];
    const query = fields.map((field) => `expand[]=${field}`).join('&');
    const longer = { ...plain, url: `${url}?${query}` };
    expect(await compare(longer, plain, PAIRS_THAT_DIFFER)).to.be.above(BOUND);
  });
});
