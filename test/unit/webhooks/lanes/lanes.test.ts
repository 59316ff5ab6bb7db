import type { EndpointLane } from '@paymount/core/events';
import { type AccountId, type EndpointId, newId } from '@paymount/core/kernel';
import { LANES } from '@paymount/webhooks';
import { expect } from 'chai';
import { Lanes, type Slot } from '../../../../packages/webhooks/src/lanes/lanes.ts';

const LIMITS = {
  fast: {
    slots: 8,
    perEndpoint: 2,
    perEndpointRelaxed: 4,
    perOrigin: 7,
    accountShare: 64,
    reserved: 0,
    replays: 3,
    aside: 3,
  },
  slow: {
    slots: 2,
    perEndpoint: 1,
    perEndpointRelaxed: 1,
    perOrigin: 2,
    accountShare: 64,
    reserved: 0,
    replays: 1,
    aside: 0,
  },
};
const [A, B, C, D] = [newId('we'), newId('we'), newId('we'), newId('we')];
const [ONE, TWO] = [newId('acct'), newId('acct')];
const ORIGIN = 'https://one.example.com';

interface Asked {
  readonly accountId?: AccountId;
  readonly origin?: string;
  readonly isReplay?: boolean;
  readonly lane?: EndpointLane;
}

function enter(lanes: Lanes, endpointId: EndpointId, asked: Asked = {}): Slot | undefined {
  const { accountId = ONE, origin = `https://${endpointId}`, isReplay = false } = asked;
  return lanes.enter({ endpointId, accountId, origin, isReplay, lane: asked.lane ?? 'fast' });
}

/** Takes slots until there is none. */
function fill(lanes: Lanes, endpointId: EndpointId, asked: Asked = {}): Slot[] {
  const slots: Slot[] = [];
  for (;;) {
    const slot = enter(lanes, endpointId, asked);
    if (slot === undefined) return slots;
    slots.push(slot);
  }
}

function enterOne(lanes: Lanes, endpointId: EndpointId, asked: Asked = {}): Slot {
  const slot = enter(lanes, endpointId, asked);
  if (slot === undefined) throw new Error('No slot is free.');
  return slot;
}

describe('The lanes of a worker', () => {
  let lanes: Lanes;

  beforeEach(() => {
    lanes = new Lanes(LIMITS);
  });

  it('have the slots that the documentation names', () => {
    expect(LANES.fast).to.deep.equal({
      slots: 256,
      perEndpoint: 4,
      perEndpointRelaxed: 32,
      perOrigin: 64,
      accountShare: 3,
      reserved: 32,
      replays: 64,
      aside: 1_024,
    });
    expect(LANES.slow).to.deep.equal({
      slots: 32,
      perEndpoint: 1,
      perEndpointRelaxed: 1,
      perOrigin: 8,
      accountShare: 3,
      reserved: 4,
      replays: 8,
      aside: 256,
    });
  });

  it('give an endpoint the small share until it has answered well', () => {
    const [first, ...rest] = fill(lanes, A);
    expect(rest).to.have.length(1);
    expect(lanes.fullEndpoints('fast', 'event')).to.deep.equal([A]);
    if (first) lanes.leave(first, 'accepted');
    expect(fill(lanes, A)).to.have.length(3);
  });

  it('take back the slots of sends that take long, while half of the slots are used', () => {
    const few = fill(lanes, A);
    expect(few.map((slot) => lanes.setAside(slot))).to.deep.equal([false, false]);
    const slots = [...few, ...fill(lanes, B), ...fill(lanes, C), ...fill(lanes, D)];
    expect(lanes.of('fast').free).to.equal(0);
    // At most three; a second call changes nothing.
    const freed = [...slots, ...slots].filter((slot) => lanes.setAside(slot));
    expect(freed).to.have.length(3);
    const counts = () => [lanes.of('fast').taken, lanes.of('fast').running];
    expect(counts()).to.deep.equal([5, 8]);
    expect(fill(lanes, A), 'the endpoint still has as many sends').to.have.length(0);
    for (const slot of freed) lanes.leave(slot, 'accepted');
    expect(counts()).to.deep.equal([5, 5]);
  });

  it('keep slots in the slow lane, and move there what has given back its slot', () => {
    const slots = [A, B, C, D].flatMap((id) => fill(lanes, id));
    const [first] = slots;
    if (first === undefined) throw new Error('No slot is free.');
    expect(lanes.setAside(first)).to.equal(true);
    lanes.moveToSlow(first);
    expect([lanes.of('fast').taken, lanes.of('fast').running]).to.deep.equal([7, 7]);
    expect(lanes.of('slow').taken).to.equal(1);
    expect(lanes.setAside(first)).to.equal(false);
    lanes.leave(first, 'unanswered');
    expect(lanes.of('slow').running).to.equal(0);
  });

  it('take back a slot of the slow lane only from a send that is late', () => {
    lanes = new Lanes({ ...LIMITS, slow: { ...LIMITS.slow, aside: 1 } });
    const [early, late] = [A, B].map((id) => enterOne(lanes, id, { lane: 'slow' }));
    if (early === undefined || late === undefined) throw new Error('No slot is free.');
    lanes.moveToSlow(late);
    expect([early, late].map((slot) => lanes.setAside(slot))).to.deep.equal([false, true]);
    expect([lanes.of('slow').free, lanes.of('slow').running]).to.deep.equal([1, 2]);
    expect(enter(lanes, B, { lane: 'slow' }), 'one send of an endpoint at a time').to.equal(
      undefined,
    );
    expect(enter(lanes, C, { lane: 'slow' })).to.include({ lane: 'slow' });
  });

  it('give the small share again once half of the slots are taken', () => {
    for (const slot of fill(lanes, A)) lanes.leave(slot, 'accepted');
    fill(lanes, B);
    fill(lanes, C);
    expect(lanes.of('fast').taken).to.equal(4);
    expect(fill(lanes, A)).to.have.length(2);
  });

  for (const end of ['refused', 'unanswered'] as const) {
    it(`take the large share away from an endpoint whose last send ended ${end}`, () => {
      for (const slot of fill(lanes, A)) lanes.leave(slot, 'accepted');
      const slots = fill(lanes, A);
      expect(slots).to.have.length(4);
      for (const slot of slots) lanes.leave(slot, end);
      expect(fill(lanes, A)).to.have.length(2);
    });
  }

  it('count endpoints of one origin together, and give one account half of them', () => {
    const own = [A, B, C, D].flatMap((id) => fill(lanes, id, { origin: ORIGIN }));
    expect(own).to.have.length(4);
    const others = [newId('we'), newId('we')];
    const theirs = others.flatMap((id) => fill(lanes, id, { origin: ORIGIN, accountId: TWO }));
    expect(theirs).to.have.length(3);
    expect(fill(lanes, D, { origin: 'https://two.example.com' })).to.have.length(1);
    for (const slot of own) lanes.leave(slot);
    expect(fill(lanes, A, { origin: ORIGIN })).not.to.have.length(0);
  });

  it('give one account three quarters of the slots, and leave it the rest when others end', () => {
    lanes = new Lanes({ ...LIMITS, fast: { ...LIMITS.fast, accountShare: 3 } });
    const taken = [A, B, C, D].flatMap((id) => fill(lanes, id));
    expect(taken).to.have.length(6);
    expect(lanes.fullAccounts('fast')).to.deep.equal([ONE]);
    const other = enterOne(lanes, newId('we'), { accountId: TWO });
    expect(lanes.fullAccounts('fast')).to.deep.equal([ONE]);
    lanes.leave(other);
    if (taken[0]) lanes.leave(taken[0]);
    expect(lanes.fullAccounts('fast')).to.deep.equal([]);
  });

  it('share the slots equally among accounts that want all, and keep some for one that has none', () => {
    const fast = { ...LANES.fast, perEndpoint: 1, perEndpointRelaxed: 1 };
    lanes = new Lanes({ ...LANES, fast });
    const accounts = Array.from({ length: 10 }, () => newId('acct'));
    const counts = new Map<AccountId, number>();
    // In turns, until none of them gets another one.
    for (let isDone = false; !isDone; ) {
      isDone = true;
      for (const accountId of accounts) {
        if (enter(lanes, newId('we'), { accountId }) === undefined) continue;
        counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
        isDone = false;
      }
    }
    for (const accountId of accounts) expect(counts.get(accountId)).to.be.within(22, 23);
    expect(lanes.of('fast').free).to.equal(32);
    expect(enter(lanes, A, { accountId: ONE })).to.include({ lane: 'fast' });
    expect(lanes.fullAccounts('fast')).to.have.members([...accounts, ONE]);
  });

  it('keep some for an account that has none, whoever came first', () => {
    const fast = { ...LIMITS.fast, slots: 16, perOrigin: 64, accountShare: 3, reserved: 2 };
    lanes = new Lanes({ ...LIMITS, fast });
    const accounts = Array.from({ length: 4 }, () => newId('acct'));
    const taken = accounts.map((accountId) => {
      const ids = Array.from({ length: 16 }, () => newId('we'));
      return ids.filter((id) => enter(lanes, id, { accountId }) !== undefined).length;
    });
    expect(taken).to.deep.equal([12, 2, 1, 1]);
    expect(lanes.of('fast').free).to.equal(0);
  });

  it('share in the same way what continues without a slot', () => {
    const fast = { ...LIMITS.fast, slots: 8, accountShare: 1, aside: 4 };
    lanes = new Lanes({ ...LIMITS, fast });
    const mine = [A, B].flatMap((id) => fill(lanes, id));
    const others = [C, D].flatMap((id) => fill(lanes, id, { accountId: TWO }));
    expect([mine.length, others.length]).to.deep.equal([4, 2]);
    expect(mine.map((slot) => lanes.setAside(slot))).to.deep.equal([true, true, false, false]);
    expect(others.map((slot) => lanes.setAside(slot))).to.deep.equal([true, false]);
  });

  it('have room again for every slot that was given back', () => {
    const ids = Array.from({ length: 5 }, () => newId('we'));
    const slots = ids.flatMap((id) => fill(lanes, id));
    expect(slots).to.have.length(8);
    expect(lanes.of('fast').free).to.equal(0);
    for (const slot of slots) lanes.leave(slot);
    expect(lanes.of('fast').free).to.equal(8);
    expect(lanes.fullEndpoints('fast', 'event')).to.deep.equal([]);
  });

  it('give replays their share, and the rest to fresh events alone', () => {
    const replays = [A, B, C, D].map((id) => enter(lanes, id, { isReplay: true }));
    expect(replays.filter(Boolean)).to.have.length(3);
    expect(lanes.of('fast').freeForReplays).to.equal(0);
    expect(lanes.of('fast').free).to.equal(5);
    for (const slot of fill(lanes, D)) expect(slot.isReplay).to.equal(false);
    if (replays[0]) lanes.leave(replays[0], 'accepted');
    expect(lanes.of('fast').freeForReplays).to.equal(1);
  });

  it('give replays half of what an endpoint and an origin may have, so that events find a slot', () => {
    expect(fill(lanes, A, { isReplay: true })).to.have.length(1);
    expect(lanes.fullEndpoints('fast', 'replay')).to.deep.equal([A]);
    expect(lanes.fullEndpoints('fast', 'event')).to.deep.equal([]);
    expect(fill(lanes, A)).to.have.length(1);
    const origin = ORIGIN;
    const replays = [B, C, D].map((id) => enter(lanes, id, { origin, isReplay: true }));
    expect(replays.filter(Boolean)).to.have.length(2);
    expect(enter(lanes, D, { origin })).to.not.equal(undefined);
  });

  describe('when no headers arrive in time', () => {
    it('move the send, even beyond the slots there, and start no other until one is free', () => {
      const slots = [A, B, C].map((id) => enterOne(lanes, id));
      expect(slots.map((slot) => lanes.moveToSlow(slot))).to.deep.equal([true, true, true]);
      expect([lanes.of('fast').free, lanes.of('slow').free]).to.deep.equal([8, -1]);
      expect(enter(lanes, D, { lane: 'slow' })).to.equal(undefined);
      for (const slot of slots.slice(0, 2)) lanes.leave(slot, 'unanswered');
      expect(enter(lanes, D, { lane: 'slow' })).to.include({ lane: 'slow' });
    });

    it('take one send of the endpoint at a time, whatever its row says still', () => {
      const slots = fill(lanes, A);
      expect(slots.map((slot) => lanes.moveToSlow(slot))).to.deep.equal([true, false]);
      if (slots[0]) expect(lanes.leave(slots[0], 'unanswered')).to.equal(false);
      expect(enter(lanes, A, { lane: 'fast' })).to.equal(undefined);
      expect(lanes.fullEndpoints('slow', 'event')).to.deep.equal([A]);
      expect(lanes.fullEndpoints('fast', 'event')).to.deep.equal([]);
      if (slots[1]) lanes.leave(slots[1], 'unanswered');
      expect(enter(lanes, A, { lane: 'slow' })).to.include({ lane: 'slow' });
    });

    it('move the endpoint back with any response, a late one too, with the small share', () => {
      for (const end of ['accepted', 'refused'] as const) {
        const late = enterOne(lanes, A);
        lanes.moveToSlow(late);
        expect(lanes.leave(late, end)).to.equal(true);
        expect(fill(lanes, A, { lane: 'fast' }).map((slot) => lanes.leave(slot))).to.have.length(2);
      }
      const answered = enterOne(lanes, B, { lane: 'slow' });
      expect(answered.lane).to.equal('slow');
      expect(lanes.leave(answered, 'accepted')).to.equal(true);
    });
  });
});
