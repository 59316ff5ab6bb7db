import { runCommand } from '../../packages/paymount/src/commands/program.ts';
import { conditions } from '../support/conditions.ts';

/** `paymount listen` in this process, until it is stopped. */
export interface Listening {
  readonly out: readonly string[];
  readonly err: readonly string[];
  /** Waits until standard output has so many lines. @throws Error after 10 s, with all that was said */
  waitForLines(count: number): Promise<readonly string[]>;
  /** Waits until standard error matches. @throws Error after 10 s */
  waitForRemark(pattern: RegExp): Promise<void>;
  /** As Ctrl-C does. @returns the exit code */
  interrupt(): Promise<number>;
  /** The exit code, once it has ended. @throws Error after 10 s */
  ended(): Promise<number>;
}

const DEADLINE_MS = 10_000;

export function startListening(env: Record<string, string>, ...args: string[]): Listening {
  const out: string[] = [];
  const err: string[] = [];
  const { check, until: holding } = conditions(DEADLINE_MS);
  const stop = new AbortController();
  let exitCode: number | undefined;
  void runCommand(['listen', ...args], {
    env,
    print: (line) => {
      out.push(line);
      check();
    },
    printError: (line) => {
      err.push(line);
      check();
    },
    interrupted: () => stop.signal,
  }).then((code) => {
    exitCode = code;
    check();
  });
  const until = (holds: () => boolean, what: string): Promise<void> =>
    holding(holds, () => `${what}: ${[...out, ...err].join('\n')}`);
  const ended = async (): Promise<number> => {
    await until(() => exitCode !== undefined, 'It did not end');
    return exitCode ?? -1;
  };
  return {
    out,
    err,
    async waitForLines(count) {
      await until(() => out.length >= count, `No ${count} lines`);
      return out;
    },
    waitForRemark: (pattern) =>
      until(() => pattern.test(err.join('\n')), `Nothing matches ${pattern}`),
    interrupt() {
      stop.abort();
      return ended();
    },
    ended,
  };
}
