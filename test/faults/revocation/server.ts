import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import {
  ANSWERED_AT,
  type Command,
  DECIDED_AT,
  type Ready,
  type ServerSettings,
} from './server-messages.ts';

const PROGRAM = fileURLToPath(new URL('server-process.ts', import.meta.url));
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 5_000;
const ANSWER_LIMIT_MS = 10_000;
const CONNECTIONS = 64;
/** Passes the guard with the scope for charges, and is refused by the very next check: no I/O. */
const QUESTION = JSON.stringify({ nothing_of_a_charge: true });
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
  const child = fork(PROGRAM, [], {
    execArgv: ['--import=tsx', '--conditions=@paymount/source'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, PAYMOUNT_REVOCATION_SERVER: JSON.stringify(settings) },
  });
  const ended = once(child, 'exit');
  const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
  const ready = await Promise.race([once(child, 'message'), ended.then(() => undefined)]);
  clearTimeout(limit);
  if (ready === undefined) throw new Error('A server process ended before it listened.');
  const [{ port }] = ready as [Ready];
  const dispatcher = new Agent({ connections: CONNECTIONS, pipelining: 1 });
  return {
    ask: (key) => ask(`http://127.0.0.1:${port}/v1/charges`, key, dispatcher),
    tell: (command) => void child.send(command),
    async stop() {
      await dispatcher.destroy();
      child.send({ do: 'stop' } satisfies Command);
      const killer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
      await ended;
      clearTimeout(killer);
    },
  };
}

async function ask(url: string, key: string, dispatcher: Agent): Promise<Verdict> {
  const { statusCode, headers, body } = await request(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: QUESTION,
    dispatcher,
    headersTimeout: ANSWER_LIMIT_MS,
    bodyTimeout: ANSWER_LIMIT_MS,
  });
  const text = await body.text();
  return {
    said: saidBy(statusCode, text),
    decidedMs: Number(headers[DECIDED_AT]),
    answeredMs: Number(headers[ANSWERED_AT]),
  };
}

function saidBy(status: number, text: string): Verdict['said'] {
  if (status === 400 && text.includes(`"${LET_IN}"`)) return 'accepted';
  if (status === 401 || status === 403) return 'refused';
  if (status === 503) return 'unavailable';
  throw new Error(`A server answered ${status}: ${text.slice(0, 200)}`);
}
