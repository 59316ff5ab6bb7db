import { runCommand } from '../../packages/paymount/src/commands/program.ts';

/** How a command ended, and what it said. */
export interface Outcome {
  readonly exitCode: number;
  /** Standard output. */
  readonly out: readonly string[];
  /** Standard error. */
  readonly err: readonly string[];
  /** What a person at a terminal saw on the one line that is replaced. */
  readonly progress: readonly string[];
  /** Everything, to look for what must not be there. */
  readonly said: string;
}

/** Runs `paymount <args>` in this process, without any environment but the one given. */
export async function paymount(env: Record<string, string>, ...args: string[]): Promise<Outcome> {
  const out: string[] = [];
  const err: string[] = [];
  const progress: string[] = [];
  const exitCode = await runCommand(args, {
    env,
    print: (line) => out.push(line),
    printError: (line) => err.push(line),
    progress: (text) => progress.push(text),
  });
  return { exitCode, out, err, progress, said: [...out, ...err, ...progress].join('\n') };
}

/** The one object of `--json`. */
export function toJson({ out }: Outcome): Record<string, unknown> {
  return JSON.parse(out.join(''));
}
