import { expect } from 'chai';
import type { HostHook } from 'paymount';
import { startWorker, type Worker } from 'paymount/worker';
import { advanceToNoon } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { type DisputeSetup, OPENED, startDisputeSetup } from '../support/dispute-setup.ts';
import { eventually } from '../support/eventually.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { notice } from '../support/notifying-bank.ts';
import { OPERATOR } from '../support/operator-setup.ts';

const MINUTE_MS = 60_000;
/** More than a process has connections. */
const NOTICES = 12;
/** How many notices one process applies at once. */
const AT_ONCE = 4;

describe('notices and the hook', () => {
  let setup: DisputeSetup;
  let hook: HostHook;

  beforeEach(async () => {
    hook = async () => undefined;
    setup = await startDisputeSetup({ hook: (trx, settled) => hook(trx, settled) });
  });
  afterEach(() => setup.close());

  const chargebackOf = (processorReference: string) =>
    notice({
      kind: 'dispute.opened',
      processorReference,
      data: { ...OPENED, disputeReference: `case_of_${processorReference}` },
    });
  const stored = () =>
    query<{ state: string; tries: number }>(
      setup.databaseUrl,
      'SELECT state, tries FROM paymount.notices ORDER BY id',
    );

  it('waits for a worker with the hook, which a worker without it does not hinder', async () => {
    advanceToNoon(setup.clock);
    const { id: charge, reference } = await setup.sale();
    await setup.worker.close();
    const mails: string[] = [];
    const bare = await startHost(
      { databaseUrl: setup.databaseUrl, sealingKeys: setup.sealingKeys },
      {
        paymount: {
          processors: { test: setup.bank },
          clock: setup.clock,
          mail: { operator: OPERATOR },
          mailer: { send: async ({ subject }) => void mails.push(subject) },
        },
      },
    );
    const bareWorker = await startWorker(bare.paymount);
    let worker: Worker | undefined;
    try {
      hook = () => Promise.reject(new Error('The order is locked.'));
      await setup.send([chargebackOf(reference)]).expect(200);
      await eventually(stored, ([row]) => row?.state === 'waiting');
      for (let pass = 0; pass < 6; pass += 1) {
        setup.clock.advance(7 * MINUTE_MS);
        await bareWorker.drain();
      }
      expect(await stored()).to.deep.equal([{ state: 'waiting', tries: 0 }]);
      const lines = setup.errors.filter(({ facts }) => 'notice' in facts);
      expect(lines.map(({ facts }) => facts['refusals'])).to.deep.equal([undefined]);
      expect(lines[0]?.sentence).to.match(
        /^The hook refused the result of ntc_\w+: Error: The order is locked, at .+\. The notice is applied again; /,
      );
      const { json: health } = await setup.admin('/health');
      expect(health['notices']).to.have.property('test').that.includes({ under_review: 1 });
      const { json: listed } = await setup.admin('/notices');
      const [shown] = listed['data'] as Record<string, unknown>[];
      expect(shown).to.include({
        state: 'waiting',
        reason: 'The hook of the host refused the result, or this process has no hook.',
      });
      expect(shown?.['review_since']).to.be.a('string');
      expect(mails).to.deep.equal(['1 test result waits for the hook']);
      hook = async () => undefined;
      worker = await startWorker(setup.paymount);
      await worker.drain();
      expect((await setup.disputeOf(charge))['status']).to.equal('needs_response');
      expect(await stored()).to.deep.equal([{ state: 'applied', tries: 0 }]);
      expect((await setup.admin('/notices')).json['data']).to.deep.equal([]);
    } finally {
      await worker?.close();
      await bareWorker.close();
      await (bare as TestHost).close();
    }
  });

  it('leaves connections to the app while the hook is slow', async () => {
    const references: string[] = [];
    for (let sale = 0; sale < NOTICES; sale += 1) references.push((await setup.sale()).reference);
    await setup.worker.close();
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    let within = 0;
    let most = 0;
    hook = async () => {
      within += 1;
      most = Math.max(most, within);
      await opened;
      within -= 1;
    };
    await Promise.all(references.map((each) => setup.send([chargebackOf(each)]).expect(200)));
    await eventually(() => within === AT_ONCE);
    await setup.get('/v1/charges').expect(200);
    expect(most).to.equal(AT_ONCE);
    open();
    const worker = await startWorker(setup.paymount);
    try {
      await eventually(stored, (rows) => rows.every(({ state }) => state === 'applied'));
    } finally {
      await worker.close();
    }
  });
});
