import type { Mailer } from '@paymount/core/changes';
import { expect } from 'chai';
import { startWorker } from 'paymount/worker';
import { startHost } from '../support/host.ts';
import { type LeaksSetup, startLeaksSetup } from './leaks-setup.ts';

/** Longer than a process holds mails that it has claimed. */
const LEASE_MS = 16 * 60_000;

describe('mails that wait when their process closes', () => {
  let setup: LeaksSetup;

  before(async () => {
    // Without SMTP it writes mails, and sends none.
    setup = await startLeaksSetup({ mail: { operator: 'ops@shop.example' } });
    for (const name of ['One', 'Two']) {
      const { secret } = await setup.newKey(await setup.newAccount(name));
      await setup.paymount.leaks.report([{ credential: secret, source: 'github' }]);
    }
  });
  after(() => setup.close());

  /** Another process on the same database. @returns what ends it */
  async function startProcess(mailer: Mailer): Promise<{
    drain(): Promise<void>;
    close(): Promise<void>;
  }> {
    const { clock, log } = setup;
    const host = await startHost(setup, { paymount: { clock, logger: log.logger, mailer } });
    const worker = await startWorker(host.paymount);
    return {
      drain: () => worker.drain(),
      async close() {
        await worker.close();
        await host.close();
      },
    };
  }

  const sentRows = async () =>
    (await setup.sql('SELECT id FROM paymount.mails WHERE sent_at IS NOT NULL')).map(
      ({ id }) => id,
    );

  it('are sent by the next process, and none is sent twice', async () => {
    const sent: string[] = [];
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const first = await startProcess({
      async send({ id }) {
        sent.push(id);
        begin();
        await held;
      },
    });
    await begun;
    const closed = first.close();
    goOn();
    await closed;
    expect(sent).to.have.length(1);
    expect(await sentRows()).to.deep.equal(sent);

    setup.clock.advance(LEASE_MS);
    const next = await startProcess({ send: async ({ id }) => void sent.push(id) });
    await next.drain();
    await next.close();
    expect(sent).to.have.length(2);
    expect(new Set(await sentRows())).to.deep.equal(new Set(sent));
    expect(setup.log.text()).not.to.match(/could not be sent|Scheduled work failed/);
  });
});
