import { expect } from 'chai';
import { type BacklogStage, openBacklogStage, STATISTICS } from '../../support/backlog-stage.ts';
import { ENGINE_STATEMENTS } from './engine-statements.ts';

const BACKLOG = { done: 10_000, atFirst: 10_000, others: 200 };
/** Tables that grow with every event; reading one from beginning to end takes ever longer. */
const GROWING = /^(deliveries|delivery_attempts.*|events)$/;

for (const endpoints of [201, 10_000]) {
  describe(`The statements of the engine at ${endpoints} endpoints`, function () {
    this.timeout(120_000);
    let stage: BacklogStage;

    before(async () => {
      stage = await openBacklogStage({ endpoints, events: BACKLOG.atFirst });
    });
    after(() => stage.close());

    for (const statistics of STATISTICS) {
      it(`read no table as a whole with statistics that are ${statistics}`, async () => {
        await stage.load(BACKLOG, statistics);
        for (const { what, send, atMostBlocks, atMostRows } of ENGINE_STATEMENTS) {
          const explained = await stage.explain(() => send(stage));
          expect(explained, what).to.not.be.empty;
          for (const { name, scanned, blocks, rows, plan } of explained) {
            const shown = `${what} (${name}): ${plan}`;
            expect(
              scanned.filter((table) => GROWING.test(table)),
              shown,
            ).to.be.empty;
            expect(blocks, shown).to.be.at.most(atMostBlocks);
            expect(rows, shown).to.be.at.most(atMostRows);
          }
        }
      });
    }
  });
}
