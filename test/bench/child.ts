import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process under measurement, or one that loads it, that does what it is asked. */
export interface Child {
  readonly pid: number;
  /** @throws Error with the child's message when the command failed, or did not end in time */
  ask<Result>(command: string, argument?: unknown): Promise<Result>;
  stop(): Promise<void>;
}

interface Request {
  readonly id: number;
  readonly command: string;
  readonly argument: unknown;
}

type Reply = { readonly id: number } & ({ readonly result: unknown } | { readonly error: string });

const ANSWER_LIMIT_MS = 180_000;
const STOP_LIMIT_MS = 10_000;

/**
 * Starts `file` of this folder as a process of its own. It runs the compiled packages, as a host
 * does: the test condition is not passed on.
 */
export async function startChild(
  file: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const extra = process.env['BENCH_NODE_OPTIONS']?.split(' ') ?? [];
  const child = fork(path, {
    execArgv: ['--import=tsx', ...extra],
    env: { ...process.env, ...environment },
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error(`${file} ended before it was ready.`);
    }),
  ]);
  return new ForkedChild(file, child);
}

class ForkedChild implements Child {
  readonly pid: number;
  readonly #file: string;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #asked = 0;

  constructor(file: string, child: ChildProcess) {
    this.#file = file;
    this.#child = child;
    this.pid = child.pid ?? 0;
    child.on('message', (reply: Reply) => this.#waiting.get(reply.id)?.(reply));
    child.on('exit', (code) => {
      for (const [id, told] of this.#waiting) {
        told({ id, error: `${file} ended with exit code ${code}.` });
      }
    });
  }

  ask<Result>(command: string, argument?: unknown): Promise<Result> {
    this.#asked += 1;
    const request: Request = { id: this.#asked, command, argument };
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => {
        this.#waiting.delete(request.id);
        reject(new Error(`${this.#file} did not answer "${command}" in ${ANSWER_LIMIT_MS} ms.`));
      }, ANSWER_LIMIT_MS);
      this.#waiting.set(request.id, (reply) => {
        this.#waiting.delete(request.id);
        clearTimeout(limit);
        if ('error' in reply) reject(new Error(reply.error));
        else resolve(reply.result as Result);
      });
      this.#child.send(request, (error) => {
        if (error) this.#waiting.get(request.id)?.({ id: request.id, error: error.message });
      });
    });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    if (this.#child.connected) this.#child.disconnect();
    const killer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_LIMIT_MS);
    await ended;
    clearTimeout(killer);
  }
}

/**
 * The other end, called by the child's file: answers commands until the parent lets go, so that
 * no child outlives its parent.
 * @param end closes what the child opened
 */
export function answerCommands(
  commands: Readonly<Record<string, (argument: never) => unknown>>,
  end: () => Promise<void> = async () => undefined,
): void {
  process.on('message', (request: Request) => {
    void answer(commands, request).then((reply) => {
      if (process.connected) process.send?.(reply);
    });
  });
  process.on('disconnect', () => {
    void end().finally(() => process.exit());
  });
  process.send?.('ready');
}

async function answer(
  commands: Parameters<typeof answerCommands>[0],
  { id, command, argument }: Request,
): Promise<Reply> {
  try {
    const run = commands[command];
    if (run === undefined) throw new Error(`There is no command "${command}".`);
    return { id, result: await run(argument as never) };
  } catch (error) {
    return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
