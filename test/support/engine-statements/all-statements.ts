import type { BacklogSetup } from '../backlog-setup.ts';
import { DELIVERY_STATEMENTS } from './deliveries.ts';
import { EVENT_STATEMENTS } from './events.ts';
import { REPLAY_STATEMENTS } from './replays.ts';
import type { EngineStatement } from './statement.ts';
import { STATUS_STATEMENTS } from './statuses.ts';

/** Everything that the engine sends regularly. A new statement is added to one of the lists. */
export const ENGINE_STATEMENTS: readonly EngineStatement[] = [
  ...DELIVERY_STATEMENTS,
  ...EVENT_STATEMENTS,
  ...REPLAY_STATEMENTS,
  // Last, because endpoints change.
  ...STATUS_STATEMENTS,
];
/** Tables that grow with every event; reading one from beginning to end takes ever longer. */
const GROWING = /^(deliveries|delivery_attempts.*|events|api_keys)$/;

/** What explaining all statements has shown. */
export interface ExplainedEngine {
  /** Names of the prepared statements. */
  readonly names: readonly string[];
  /** Sentences about what must not be, with the plan. */
  readonly violations: readonly string[];
}

/** Sends and explains everything that the engine sends, with plans for the values and for any. */
export async function explainEngine(setup: BacklogSetup): Promise<ExplainedEngine> {
  const names = new Set<string>();
  const violations: string[] = [];
  for (const { what, send, atMostBlocks, atMostRows, needsAllOf } of ENGINE_STATEMENTS) {
    const all = await setup.explain(() => send(setup));
    if (all.length === 0) violations.push(`${what}: nothing was sent.`);
    for (const { name, scanned, blocks, rows, plan } of all) {
      names.add(name.replace(/,.*/, ''));
      const tables = scanned.filter((table) => GROWING.test(table) && !needsAllOf?.test(table));
      const faults = [
        ...(tables.length > 0 ? [`reads ${tables.join(', ')} as a whole`] : []),
        ...(blocks > atMostBlocks ? [`looks at ${blocks} pages`] : []),
        ...(rows > atMostRows ? [`looks at ${rows} rows`] : []),
      ];
      if (faults.length === 0) continue;
      violations.push(`${what} (${name}) ${faults.join(', ')}:\n${plan}`);
    }
  }
  return { names: [...names], violations };
}
