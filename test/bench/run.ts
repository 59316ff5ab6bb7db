import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { toClosingLine } from '../support/closing-line.ts';
import { measureAuth } from './auth.ts';
import { measureCharge } from './charge.ts';
import { measureChargeHot } from './charge-hot.ts';
import { measureChargeStore } from './charge-store.ts';
import { measureDashboard } from './dashboard.ts';
import { openServer } from './database.ts';
import {
  measureDeliver,
  measureDeliverNaive,
  measureDeliverSingle,
  measureLatency,
} from './deliver.ts';
import {
  broken,
  evaluate,
  type FigureResult,
  type Measurement,
  NotMeasured,
  notMeasured,
  toCounts,
  toExitCode,
} from './figure.ts';
import { measureIdle } from './idle.ts';
import { describeMachine } from './machine.ts';
import { measureMemory } from './memory.ts';
import { measureMemoryKeys } from './memory-keys.ts';
import { measureOAuth } from './oauth.ts';
import { measureRelease } from './release.ts';
import { machineLine, toLines } from './report.ts';
import { measureRevoke } from './revoke.ts';
import type { Settings } from './rounds.ts';
import { measureVerify } from './verify.ts';

/**
 * `npm run bench -- [NAME...] [--rounds 5] [--seconds 4] [--json FILE]`: measures subjects against
 * their floors. Exit 0: every median keeps its limit; 1: one does not, or a run proves nothing;
 * 2: something could not be measured here. The last line counts them; what was not measured is skipped.
 */
const BENCHMARKS: Readonly<Record<string, (settings: Settings) => Promise<Measurement>>> = {
  auth: measureAuth,
  'charge-store': measureChargeStore,
  'charge-hot': measureChargeHot,
  charge: measureCharge,
  release: measureRelease,
  deliver: measureDeliver,
  'deliver-single': measureDeliverSingle,
  'deliver-naive': measureDeliverNaive,
  latency: measureLatency,
  idle: measureIdle,
  memory: measureMemory,
  'memory-keys': measureMemoryKeys,
  dashboard: measureDashboard,
  oauth: measureOAuth,
  revoke: measureRevoke,
  verify: measureVerify,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    json: { type: 'string' },
  },
});
const names = positionals.length > 0 ? positionals : Object.keys(BENCHMARKS);
const rounds = atLeastOne('--rounds', values.rounds);
const seconds = atLeastOne('--seconds', values.seconds);
const unknown = names.find((name) => !(name in BENCHMARKS));
if (unknown !== undefined) {
  fail(`There is no benchmark ${unknown}; there are ${Object.keys(BENCHMARKS).join(', ')}.`);
}

let closing: string | undefined;
const server = await openServer();
try {
  const machine = describeMachine(server.version);
  say(machineLine(machine));
  const results: FigureResult[] = [];
  for (const name of names) results.push(await run(name));
  process.exitCode = toExitCode(results);
  closing = toClosingLine(toCounts(results));
  if (values.json !== undefined) {
    const report = { machine, rounds, seconds, results };
    await writeFile(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
  }
} finally {
  await server.stop();
}
if (closing !== undefined) say(closing);

async function run(name: string): Promise<FigureResult> {
  say(`${name}: ${rounds} rounds of ${seconds} s`);
  const result = await measure(name);
  for (const line of toLines(result)) say(line);
  return result;
}

async function measure(name: string): Promise<FigureResult> {
  const benchmark = BENCHMARKS[name];
  if (benchmark === undefined) return notMeasured(name, 'there is no such benchmark');
  try {
    return evaluate(name, await benchmark({ server, rounds, seconds, say }));
  } catch (error) {
    if (error instanceof NotMeasured) return notMeasured(name, error.message);
    return broken(name, error);
  }
}

function atLeastOne(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) fail(`${option} takes a whole number from 1 on.`);
  return value;
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
