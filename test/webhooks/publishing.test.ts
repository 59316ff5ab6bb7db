import { buildEvent, type Event } from '@paymount/core/changes';
import { newId, type Owner } from '@paymount/core/kernel';
import { expect } from 'chai';
import { type BacklogStage, openBacklogStage } from '../support/backlog-stage.ts';

function payout(owner: Owner): Event {
  return buildEvent({
    ...{ owner, objectVersion: 1, type: 'payout.paid', at: new Date(), source: 'trigger' },
    object: { id: newId('po') },
  });
}

describe('Recording an event', () => {
  let stage: BacklogStage;

  before(async () => {
    stage = await openBacklogStage({ endpoints: 2, events: 1 });
  });
  after(() => stage.close());

  function record(): Promise<unknown> {
    const { publisher, postgres } = stage;
    const event = payout(publisher);
    const change = { ...publisher, at: event.created, writes: [], events: [event] };
    return postgres.storage.changes.apply(change);
  }

  it('is one statement while the endpoints of its account are known', async () => {
    const statements = async () => {
      const explained = await stage.explain(record);
      // Each is explained with two plans.
      return explained.length / 2;
    };
    expect(await statements()).to.equal(2);
    expect(await statements()).to.equal(1);
    await stage.query(`UPDATE paymount.webhook_endpoints SET version = 2 WHERE account_id = $1`, [
      stage.publisher.accountId,
    ]);
    expect(await statements()).to.equal(3);
    expect(await statements()).to.equal(1);
    const deliveries = await stage.query('SELECT FROM paymount.deliveries');
    expect(deliveries).to.have.length(4);
  });
});
