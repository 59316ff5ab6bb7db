import {
  advanceReplays,
  type Replay,
  ReplayCreateInput,
  ReplayService,
  toReplayResource,
} from '@paymount/core/events';
import { newId, noCrashPoint } from '@paymount/core/kernel';
import type { z } from 'zod';
import type { BacklogSetup } from '../backlog-setup.ts';
import { fakeClock } from '../clock.ts';
import { SILENT } from '../host.ts';
import { CLAIM, type EngineStatement } from './statement.ts';

/** Replays of many events. */
export const REPLAY_STATEMENTS: readonly EngineStatement[] = [
  {
    what: 'steps of a replay of all events',
    send: (setup) => replay(setup, {}),
    // A step counts 2,500 events, and chooses among 5,000.
    atMostBlocks: 30_000,
    atMostRows: 60_000,
  },
  {
    what: 'steps of a replay of undelivered events',
    send: (setup) => replay(setup, { states: ['undelivered'] }),
    // It looks up two deliveries of each event.
    atMostBlocks: 60_000,
    atMostRows: 60_000,
  },
  {
    what: 'end of a replay that cannot be advanced',
    send: async (setup) => {
      const { id } = await start(setup, {});
      await setup.postgres.replays.postpone(id, new Date());
      await setup.postgres.replays.fail(id, new Date(), 'A test.');
    },
    atMostBlocks: 6_000,
    atMostRows: 26_000,
  },
];

type Input = Pick<z.input<typeof ReplayCreateInput>, 'states'>;

/** Starts a replay to the endpoint with the backlog, advances it, and cancels it. */
async function replay(setup: BacklogSetup, input: Input): Promise<void> {
  const { id } = await start(setup, input);
  const ports = { logger: SILENT, crashPoint: noCrashPoint, isClosing: () => false };
  const dispatch = { announce: () => undefined };
  for (let step = 0; step < 2; step += 1) {
    await advanceReplays({
      ...ports,
      dispatch,
      clock: fakeClock(),
      replays: setup.postgres.replays,
    });
  }
  const { deliveries, directory } = setup.postgres;
  for (const lane of ['fast', 'slow'] as const) {
    const claimed = await deliveries.claimDue({ ...CLAIM, lane, origin: 'replay' });
    const ids = claimed.deliveries.map((each) => each.id);
    await deliveries.release(CLAIM.leaseToken, ids);
  }
  await directory.replays.find(id);
  await serviceOf(setup).retrieve(callOf(setup), id);
  await serviceOf(setup).cancel(callOf(setup), id, toReplayResource);
}

async function start(setup: BacklogSetup, input: Input): Promise<Replay> {
  const [endpoint] = await setup.query<{ id: string }>(
    'SELECT min(id) AS id FROM paymount.webhook_endpoints WHERE account_id = $1',
    [setup.owner.accountId],
  );
  const parsed = ReplayCreateInput.parse({ ...input, to: endpoint?.id, rate: 1_000 });
  return serviceOf(setup).create(callOf(setup), parsed, toReplayResource);
}

function serviceOf({ postgres: { storage } }: BacklogSetup): ReplayService {
  return new ReplayService({ storage, clock: fakeClock() });
}

function callOf({ owner }: BacklogSetup) {
  return {
    principal: { ...owner, kind: 'host', scopes: 'all' } as const,
    requestId: newId('req'),
  };
}
