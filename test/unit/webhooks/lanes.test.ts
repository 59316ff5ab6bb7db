import { type EndpointId, newId } from '@paymount/core/kernel';
import { LANES } from '@paymount/webhooks';
import { expect } from 'chai';
import { Lane, type Slot } from '../../../packages/webhooks/src/lanes.ts';

const LIMITS = { slots: 8, perEndpoint: 2, perEndpointRelaxed: 4, perOrigin: 5, replays: 3 };
const [A, B, C, D] = Array.from({ length: 4 }, () => newId('we'));
const ORIGIN = 'https://one.example.com';

describe('A lane', () => {
  const fill = (lane: Lane, id: EndpointId | undefined, origin = `https://${id}`): Slot[] => {
    const slots: Slot[] = [];
    for (;;) {
      const slot = id && lane.enter(id, origin);
      if (slot === undefined) return slots;
      slots.push(slot);
    }
  };

  it('has the slots of the design', () => {
    expect(LANES.fast).to.deep.equal({
      slots: 256,
      perEndpoint: 4,
      perEndpointRelaxed: 32,
      perOrigin: 64,
      replays: 64,
    });
  });

  it('gives an endpoint the small share until it has answered well', () => {
    const lane = new Lane(LIMITS);
    const [first, ...rest] = fill(lane, A);
    expect([first, ...rest]).to.have.length(2);
    expect(lane.atLimit('event')).to.deep.equal([A]);
    if (first) lane.leave(first, true);
    expect(fill(lane, A)).to.have.length(3);
  });

  it('gives the small share again once half of the slots are taken', () => {
    const lane = new Lane(LIMITS);
    for (const slot of fill(lane, A)) lane.leave(slot, true);
    fill(lane, B);
    fill(lane, C);
    expect(lane.taken).to.equal(4);
    expect(fill(lane, A)).to.have.length(2);
  });

  it('takes the large share away after an answer that was not 2xx', () => {
    const lane = new Lane(LIMITS);
    for (const slot of fill(lane, A)) lane.leave(slot, true);
    const slots = fill(lane, A);
    expect(slots).to.have.length(4);
    for (const slot of slots) lane.leave(slot, false);
    expect(fill(lane, A)).to.have.length(2);
  });

  it('counts endpoints of one origin together', () => {
    const lane = new Lane(LIMITS);
    const taken = [A, B, C, D].flatMap((id) => fill(lane, id, ORIGIN));
    expect(taken).to.have.length(5);
    expect(fill(lane, D, 'https://two.example.com')).to.have.length(2);
  });

  it('has room again for every slot that was given back', () => {
    const lane = new Lane(LIMITS);
    const ids = Array.from({ length: 5 }, () => newId('we'));
    const slots = ids.flatMap((id) => fill(lane, id));
    expect(slots).to.have.length(8);
    expect(lane.free).to.equal(0);
    for (const slot of slots) lane.leave(slot);
    expect(lane.free).to.equal(8);
    expect(lane.atLimit('event')).to.deep.equal([]);
  });

  it('gives replays their share, and the rest to fresh events alone', () => {
    const lane = new Lane(LIMITS);
    const again = (id: EndpointId | undefined): Slot | undefined =>
      id && lane.enter(id, `https://${id}`, true);
    const slots = [again(A), again(A), again(B)];
    expect(slots).not.to.include(undefined);
    expect(again(B)).to.equal(undefined);
    expect(lane.freeForReplays).to.equal(0);
    expect(lane.free).to.equal(5);
    expect(fill(lane, C)).to.have.length(2);
    if (slots[0]) lane.leave(slots[0], true);
    expect(lane.freeForReplays).to.equal(1);
    expect(again(B)).not.to.equal(undefined);
    for (const slot of [...fill(lane, D), ...fill(lane, A)]) expect(slot.isReplay).to.equal(false);
    expect(lane.freeForReplays).to.equal(0);
  });

  it('keeps no fresh event out of an endpoint where a replay has a slot, which is next', () => {
    const lane = new Lane(LIMITS);
    const [fresh] = A === undefined ? [] : [lane.enter(A, ORIGIN)];
    const replay = A && lane.enter(A, ORIGIN, true);
    expect(lane.atLimit('replay')).to.deep.equal([A]);
    expect(lane.atLimit('event')).to.deep.equal([]);
    if (replay) lane.leave(replay);
    expect(A && lane.enter(A, ORIGIN)).to.not.equal(undefined);
    expect(lane.atLimit('event')).to.deep.equal([A]);
    if (fresh) lane.leave(fresh);
    expect(lane.atLimit('event')).to.deep.equal([]);
  });
});
