import {
  advanceReplays,
  type Replay,
  ReplayCreateInput,
  ReplayService,
  toReplayResource,
} from '@paymount/core/events';
import { newId, noCrashPoint } from '@paymount/core/kernel';
import type { z } from 'zod';
import type { BacklogStage } from '../backlog-stage.ts';
import { fakeClock } from '../clock.ts';
import { SILENT } from '../host.ts';
import { CLAIM, type EngineStatement } from './statement.ts';

/** Replays of many events. */
export const REPLAY_STATEMENTS: readonly EngineStatement[] = [
  {
    what: 'steps of a replay of all events',
    send: (stage) => replay(stage, {}),
    // A step counts 2,500 events, and chooses among 5,000.
    atMostBlocks: 30_000,
    atMostRows: 60_000,
  },
  {
    what: 'steps of a replay of undelivered events',
    send: (stage) => replay(stage, { states: ['undelivered'] }),
    // It looks up two deliveries of each event.
    atMostBlocks: 60_000,
    atMostRows: 60_000,
  },
  {
    what: 'end of a replay that cannot be advanced',
    send: async (stage) => {
      const { id } = await start(stage, {});
      await stage.postgres.replays.postpone(id, new Date());
      await stage.postgres.replays.fail(id, new Date(), 'A test.');
    },
    atMostBlocks: 6_000,
    atMostRows: 26_000,
  },
];

type Input = Pick<z.input<typeof ReplayCreateInput>, 'states'>;

/** Starts a replay to the endpoint with the backlog, advances it, and cancels it. */
async function replay(stage: BacklogStage, input: Input): Promise<void> {
  const { id } = await start(stage, input);
  const ports = { logger: SILENT, crashPoint: noCrashPoint, isClosing: () => false };
  const dispatch = { announce: () => undefined };
  for (let step = 0; step < 2; step += 1) {
    await advanceReplays({
      ...ports,
      dispatch,
      clock: fakeClock(),
      replays: stage.postgres.replays,
    });
  }
  const { deliveries, directory } = stage.postgres;
  for (const lane of ['fast', 'slow'] as const) {
    const claimed = await deliveries.claimDue({ ...CLAIM, lane, origin: 'replay' });
    const ids = claimed.deliveries.map((each) => each.id);
    await deliveries.release(CLAIM.leaseToken, ids);
  }
  await directory.replays.find(id);
  await serviceOf(stage).retrieve(callOf(stage), id);
  await serviceOf(stage).cancel(callOf(stage), id, toReplayResource);
}

async function start(stage: BacklogStage, input: Input): Promise<Replay> {
  const [endpoint] = await stage.query<{ id: string }>(
    'SELECT min(id) AS id FROM paymount.webhook_endpoints WHERE account_id = $1',
    [stage.owner.accountId],
  );
  const parsed = ReplayCreateInput.parse({ ...input, to: endpoint?.id, rate: 1_000 });
  return serviceOf(stage).create(callOf(stage), parsed, toReplayResource);
}

function serviceOf({ postgres: { storage } }: BacklogStage): ReplayService {
  return new ReplayService({ storage, clock: fakeClock() });
}

function callOf({ owner }: BacklogStage) {
  return {
    principal: { ...owner, kind: 'host', scopes: 'all' } as const,
    requestId: newId('req'),
  };
}
