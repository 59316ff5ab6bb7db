import { runCommand } from '../../packages/paymount/src/commands/program.ts';

/** How a command ended, and what it said. */
export interface Outcome {
  readonly exitCode: number;
  readonly out: string[];
  readonly err: string[];
}

/** Runs `paymount` in this process. */
export async function paymount(env: Record<string, string>, ...args: string[]): Promise<Outcome> {
  const out: string[] = [];
  const err: string[] = [];
  const exitCode = await runCommand(args, {
    env,
    print: (line) => out.push(line),
    remark: (line) => err.push(line),
  });
  return { exitCode, out, err };
}

/** The one object of `--json`. */
export function jsonOf({ out }: Outcome): Record<string, unknown> {
  return JSON.parse(out.join(''));
}
