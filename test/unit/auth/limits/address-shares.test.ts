import { AddressShares } from '@paymount/auth';
import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import { eventually } from '../../../support/eventually.ts';

/** A promise that the test settles. */
class Latch {
  readonly promise: Promise<void>;
  resolve: () => void = () => undefined;
  reject: (reason: unknown) => void = () => undefined;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

/** A request whose body the test ends. */
interface Sent {
  /** Whether it has a place. */
  isRead: boolean;
  /** How it ended: `done`, or the code of its error. */
  ended: string | undefined;
  /** Its body arrives. */
  finish(): void;
}

describe('the places of requests from unknown senders', () => {
  let shares: AddressShares;
  let sent: Sent[];
  beforeEach(() => {
    sent = [];
  });
  afterEach(() => {
    for (const { finish } of sent) finish();
  });

  /** @param check what comes before its body is awaited */
  const send = (address: string, check?: Promise<void>): Sent => {
    const body = new Latch();
    const request: Sent = { isRead: false, ended: undefined, finish: () => body.resolve() };
    const used = shares.use(address, {
      read: async (awaitBody) => {
        request.isRead = true;
        await check;
        const signal = awaitBody();
        signal.addEventListener('abort', () => body.reject(signal.reason), { once: true });
        await body.promise;
      },
      handle: async () => undefined,
      isGenuine: () => true,
    });
    used.then(
      () => {
        request.ended = 'done';
      },
      (error: unknown) => {
        request.ended = PaymountError.is(error) ? error.code : String(error);
      },
    );
    sent.push(request);
    return request;
  };
  const makeKnown = async (address: string): Promise<void> => {
    const request = send(address);
    request.finish();
    await eventually(() => request.ended === 'done');
  };
  const lost = (): number => sent.filter(({ ended }) => ended === 'body_timeout').length;

  describe('of which two are reserved', () => {
    let known: Sent[];
    beforeEach(async () => {
      shares = new AddressShares({ total: 6, perAddress: 5, reserved: 2 });
      await makeKnown('198.51.100.1');
      await makeKnown('198.51.100.2');
      for (let at = 1; at <= 4; at += 1) send(`192.0.2.${at}`);
      known = [send('198.51.100.1'), send('198.51.100.1')];
    });

    it('go to a known sender at once, although a stranger waits longer', async () => {
      const stranger = send('192.0.2.5');
      const second = send('198.51.100.2');
      known[0]?.finish();
      await eventually(() => known[0]?.ended === 'done');
      expect([second.isRead, stranger.isRead, lost()]).to.deep.equal([true, false, 0]);
    });

    it('are lost by one stranger for another, and no more', async () => {
      const stranger = send('192.0.2.5');
      send('192.0.2.6');
      await eventually(() => stranger.isRead);
      await eventually(() => sent.at(-1)?.ended !== undefined || sent.at(-1)?.isRead === true);
      expect(sent.at(-1)?.isRead).to.equal(true);
      expect(lost()).to.equal(2);
    });
  });

  it('go to a new sender, although ten addresses fill the queue', async () => {
    shares = new AddressShares({ total: 20, perAddress: 10, reserved: 0 });
    for (let count = 0; count < 10; count += 1) for (const at of [1, 2]) send(`192.0.2.${at}`);
    for (let count = 0; count < 100; count += 1) {
      for (let at = 11; at <= 20; at += 1) send(`192.0.2.${at}`);
    }
    const honest = send('198.51.100.1');
    await eventually(() => honest.isRead || honest.ended !== undefined);
    expect([honest.isRead, honest.ended]).to.deep.equal([true, undefined]);
  });

  it('are not lost before a body is awaited, and half a second after that', async () => {
    shares = new AddressShares({ total: 2, perAddress: 2, reserved: 0 });
    const check = new Latch();
    const checked = [send('192.0.2.1', check.promise), send('192.0.2.1', check.promise)];
    const early = send('192.0.2.2');
    await eventually(() => early.ended === 'unavailable');
    const late = send('192.0.2.3');
    check.resolve();
    await eventually(() => late.isRead);
    expect(checked.map(({ ended }) => ended)).to.deep.equal(['body_timeout', undefined]);
  });
});
