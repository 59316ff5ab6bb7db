import { runCommand } from '../../packages/paymount/src/commands/program.ts';

/** How a command ended, and what it said. */
export interface Outcome {
  readonly exitCode: number;
  /** Standard output. */
  readonly out: readonly string[];
  /** Standard error. */
  readonly err: readonly string[];
  /** Everything, to look for what must not be there. */
  readonly said: string;
}

/** Runs `paymount` in this process, without any environment but the one given. */
export async function paymount(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Outcome> {
  const out: string[] = [];
  const err: string[] = [];
  const exitCode = await runCommand(args, {
    env,
    print: (line) => out.push(line),
    remark: (line) => err.push(line),
  });
  return { exitCode, out, err, said: [...out, ...err].join('\n') };
}
