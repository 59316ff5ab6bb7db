import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { WorkerOptions } from 'paymount/worker';
import { childProgram } from '../support/child-program.ts';
import type { Command, HostSettings, Reply } from './host-messages.ts';

const PROGRAM = new URL('host-process.ts', import.meta.url);
/** A process takes a second of processor time to start, which a busy machine gives it late. */
const START_LIMIT_MS = 120_000;
const COMMAND_LIMIT_MS = 60_000;

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A host process as its parent sees it. */
export interface Host {
  /** `http://127.0.0.1:<port>`; the test mount is at its root. */
  readonly url: string;
  /** Fulfilled when the process has ended, however that came. */
  readonly ended: Promise<Ending>;
  /** How far its clock is ahead of the machine's. */
  readonly shiftMs: number;
  /** Moves the clock of that process forward. */
  advance(ms: number): Promise<void>;
  /** Starts a worker in that process. */
  work(options?: WorkerOptions): Promise<void>;
  /** Ends the worker; the process goes on answering requests. */
  rest(): Promise<void>;
  /** Has the worker do all that is due by its clock. */
  drain(): Promise<void>;
  /**
   * SIGTERM, as an operator ends it: it finishes what runs. Twice is harmless.
   * @throws Error with its output if it does not end well
   */
  stop(): Promise<void>;
  /** SIGKILL. Twice is harmless. */
  kill(): Promise<Ending>;
  /** SIGSTOP: the process stands still, and its connections stay open. */
  freeze(): void;
  /** SIGCONT. */
  thaw(): void;
  /** What it wrote to its log and to standard error. */
  output(): string;
}

/** Starts a host process, and waits until it listens. @throws Error with its output when it does not */
export async function startHost(settings: HostSettings): Promise<Host> {
  const child = fork(await childProgram(PROGRAM), [], {
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, PAYMOUNT_FAULT_HOST: JSON.stringify(settings) },
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text: Buffer) => {
      written += text.toString();
    });
  }
  const waiting = new Map<number, (reply: Reply) => void>();
  const ended = once(child, 'close').then(([code, signal]) => {
    for (const settle of waiting.values())
      settle({ id: -1, error: `it ended by ${signal ?? code}` });
    return { code, signal } as Ending;
  });
  child.on('message', (reply: Reply) => waiting.get(reply.id)?.(reply));

  async function reply(id: number, limitMs: number): Promise<Reply> {
    let timer: NodeJS.Timeout | undefined;
    const answer = await new Promise<Reply>((resolve) => {
      waiting.set(id, resolve);
      const late = { id, error: `no reply within ${limitMs} ms` };
      timer = setTimeout(() => resolve(late), limitMs);
    });
    clearTimeout(timer);
    waiting.delete(id);
    if (answer.error === undefined) return answer;
    throw new Error(`A host process failed: ${answer.error}\n${written.slice(-2_000)}`);
  }

  let commands = 0;
  let shiftMs = settings.shiftMs ?? 0;
  async function send(command: Without<Command, 'id'>): Promise<void> {
    commands += 1;
    const answered = reply(commands, COMMAND_LIMIT_MS);
    // A process that is gone answers through `ended`.
    child.send({ ...command, id: commands }, () => undefined);
    await answered;
  }

  const started = await reply(0, START_LIMIT_MS).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    url: `http://127.0.0.1:${started.port}`,
    ended,
    get shiftMs() {
      return shiftMs;
    },
    async advance(ms) {
      shiftMs += ms;
      await send({ do: 'advance', ms });
    },
    work: (options = {}) => send({ do: 'work', options }),
    rest: () => send({ do: 'rest' }),
    drain: () => send({ do: 'drain' }),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const timer = wait(COMMAND_LIMIT_MS, 'time' as const, { ref: false });
      const ending = await Promise.race([ended, timer]);
      if (ending !== 'time' && ending.code === 0) return;
      const how = ending === 'time' ? 'did not end' : `ended by ${ending.signal ?? ending.code}`;
      throw new Error(`A host process ${how}:\n${written.slice(-2_000)}`);
    },
    kill() {
      child.kill('SIGKILL');
      return ended;
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    output: () => written,
  };
}

type Without<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;
