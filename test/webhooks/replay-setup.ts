import {
  type AdvanceReplaysPorts,
  advanceReplays,
  type Replay,
  ReplayCreateInput,
  ReplayService,
  toReplayResource,
} from '@paymount/core/events';
import { type EndpointId, newId, noCrashPoint } from '@paymount/core/kernel';
import type { z } from 'zod';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { SILENT } from '../support/host.ts';
import { type Engine, makeEngine } from './engine.ts';

/** One delivery that a replay made. */
export interface Replayed {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly state: string;
}

/** Replays on an engine, whose steps a test does itself, on a clock that stands still. */
export interface ReplaySetup {
  readonly engine: Engine;
  /** Of the replays alone. */
  readonly clock: FakeClock;
  readonly service: ReplayService;
  start(
    input: z.input<typeof ReplayCreateInput> & { readonly created?: { gte?: Date; lt?: Date } },
  ): Promise<Replay>;
  cancel(replay: Replay): Promise<Replay>;
  /** Records events that nobody gets, older than any other, quickly. */
  record(count: number): Promise<void>;
  /** One round of a worker. @returns whether any replay goes on */
  step(ports?: Partial<AdvanceReplaysPorts>): Promise<boolean>;
  /** Steps, a quarter of a second apart, until the replay is neither pending nor running. */
  finish(replay: Replay): Promise<Replay>;
  find(replay: Replay): Promise<Replay>;
  made(replay: Replay): Promise<readonly Replayed[]>;
  /** Registers an endpoint that nobody answers at, for these types. */
  endpoint(...types: string[]): Promise<EndpointId>;
  /** As if every delivery that waits had been answered. */
  deliverAll(of?: EndpointId): Promise<void>;
  /** Deliveries that wait, by endpoint. */
  waiting(of: EndpointId): Promise<number>;
  turn(endpoint: EndpointId, status: 'enabled' | 'disabled' | 'deleted'): Promise<void>;
  close(): Promise<void>;
}

const MAX_STEPS = 200;

/** Makes a setup; `close()` it in `after`. */
export async function makeReplaySetup(): Promise<ReplaySetup> {
  const engine = await makeEngine();
  const { postgres, owner, query } = engine;
  const clock = fakeClock('2026-11-21T12:00:00.000Z');
  const service = new ReplayService({ storage: postgres.storage, clock });
  const call = () => ({
    principal: { ...owner, kind: 'host', scopes: 'all' } as const,
    requestId: newId('req'),
  });

  const find: ReplaySetup['find'] = async ({ id }) => {
    const found = await postgres.directory.replays.find(id);
    if (found === undefined) throw new Error(`${id} is lost.`);
    return found;
  };
  const step: ReplaySetup['step'] = (ports = {}) =>
    advanceReplays({
      replays: postgres.replays,
      dispatch: engine.hub,
      clock,
      logger: SILENT,
      crashPoint: noCrashPoint,
      isClosing: () => false,
      ...ports,
    });
  return {
    engine,
    clock,
    service,
    find,
    step,
    start: ({ created, ...input }) =>
      service.create(
        call(),
        { ...ReplayCreateInput.parse(input), ...(created && { created }) },
        toReplayResource,
      ),
    cancel: ({ id }) => service.cancel(call(), id, toReplayResource),
    async record(count) {
      const [sample] = await engine.publish();
      await query(
        `INSERT INTO paymount.events SELECT (jsonb_populate_record(e, to_jsonb(e) ||
           jsonb_build_object('id', 'evt_' || lpad(n::text, 26, '0'), 'object_version', n + 1))).*
         FROM paymount.events e, generate_series(1, $2) n WHERE e.id = $1`,
        [sample?.id, count - 1],
      );
    },
    async finish(replay) {
      for (let steps = 0; steps < MAX_STEPS; steps += 1) {
        await step();
        const found = await find(replay);
        if (found.status === 'completed' || found.status === 'canceled') return found;
        clock.advance(250);
      }
      throw new Error(`${replay.id} does not end.`);
    },
    made: ({ id }) =>
      query<Replayed>(
        `SELECT id, event_id, endpoint_id, state FROM paymount.deliveries WHERE replay_id = $1
           ORDER BY event_id, endpoint_id`,
        [id],
      ),
    async endpoint(...types) {
      const { id } = await engine.endpoint('http://127.0.0.1:9/hook');
      if (types.length > 0) {
        await query('UPDATE paymount.webhook_endpoints SET enabled_events = $2 WHERE id = $1', [
          id,
          types,
        ]);
      }
      return id;
    },
    async deliverAll(of) {
      await query(
        `UPDATE paymount.deliveries SET state = 'succeeded', finished_at = now()
           WHERE state = 'pending' AND ($1::text IS NULL OR endpoint_id = $1)`,
        [of ?? null],
      );
    },
    async waiting(of) {
      const [row] = await query<{ count: number }>(
        `SELECT count(*)::integer AS count FROM paymount.deliveries
           WHERE endpoint_id = $1 AND state IN ('pending', 'parked')`,
        [of],
      );
      return row?.count ?? 0;
    },
    async turn(endpoint, status) {
      const found = await postgres.storage.read.endpoints.find(owner, endpoint);
      if (found === undefined) throw new Error(`${endpoint} is lost.`);
      const row = { ...found, version: found.version + 1, status };
      const writes = [{ mode: 'update', kind: 'endpoint', row }] as const;
      await postgres.storage.changes.apply({ ...owner, at: clock.now(), writes });
      await postgres.deliveries.applyStatuses(1_000);
    },
    close: () => engine.close(),
  };
}
