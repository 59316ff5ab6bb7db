import { fork } from 'node:child_process';
import { once } from 'node:events';
import { childProgram } from '../../support/child-program.ts';
import { RawClient, readHeader } from './raw-client.ts';
import {
  ANSWERED_AT,
  type Command,
  DECIDED_AT,
  type Ready,
  type ServerSettings,
} from './server-messages.ts';

const PROGRAM = new URL('server-process.ts', import.meta.url);
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 5_000;
/** Passes the guard with the scope to read charges, and fails the very next check: no I/O. */
const QUESTION = '/v1/charges?nothing_of_a_charge=1';
const LET_IN = 'parameter_unknown';

/** What a server said to one request, and when it decided. */
export interface Verdict {
  readonly said: 'accepted' | 'refused' | 'unavailable';
  /** Milliseconds of the machine's monotonic clock. */
  readonly decidedMs: number;
  readonly answeredMs: number;
}

/** A server process as the harness sees it. */
export interface Server {
  /** Sends a request with this key. @throws Error for an answer that makes no sense */
  ask(key: string): Promise<Verdict>;
  tell(command: Command): void;
  stop(): Promise<void>;
}

/** Starts a server process, and waits until it listens. */
export async function startServer(settings: ServerSettings): Promise<Server> {
  const child = fork(await childProgram(PROGRAM), [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, PAYMOUNT_REVOCATION_SERVER: JSON.stringify(settings) },
  });
  const ended = once(child, 'exit');
  const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
  const ready = await Promise.race([once(child, 'message'), ended.then(() => undefined)]);
  clearTimeout(limit);
  if (ready === undefined) throw new Error('A server process ended before it listened.');
  const [{ port }] = ready as [Ready];
  const client = new RawClient(port);
  return {
    ask: (key) => ask(client, key),
    tell: (command) => void child.send(command),
    async stop() {
      client.close();
      child.send({ do: 'stop' } satisfies Command);
      const killer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
      await ended;
      clearTimeout(killer);
    },
  };
}

async function ask(client: RawClient, key: string): Promise<Verdict> {
  const { status, head, body } = await client.get(QUESTION, key);
  return {
    said: saidBy(status, body),
    decidedMs: Number(readHeader(head, DECIDED_AT)),
    answeredMs: Number(readHeader(head, ANSWERED_AT)),
  };
}

function saidBy(status: number, text: string): Verdict['said'] {
  if (status === 400 && text.includes(`"${LET_IN}"`)) return 'accepted';
  if (status === 401 || status === 403) return 'refused';
  if (status === 503) return 'unavailable';
  throw new Error(`A server answered ${status}: ${text.slice(0, 200)}`);
}
