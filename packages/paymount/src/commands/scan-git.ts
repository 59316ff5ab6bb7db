import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ScanError } from './scan-error.ts';

const MAX_SAID = 2_000;

/**
 * Runs git and hands on what it prints, as it comes. It asks nobody anything.
 * @param folder where it runs
 * @throws ScanError when git is not there, or fails; with what it said
 */
export async function* runGit(
  folder: string,
  args: readonly string[],
): AsyncGenerator<Buffer, void, void> {
  const git = spawn('git', ['-C', folder, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
  });
  let said = '';
  git.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, MAX_SAID);
  });
  const ended = once(git, 'close');
  // Awaited below; until then a git that cannot be started must not end the process.
  ended.catch(() => undefined);
  try {
    const printed: AsyncIterable<Buffer> = git.stdout;
    for await (const chunk of printed) yield chunk;
    const [code] = await exitOf(ended);
    if (code !== 0) throw new ScanError(`git failed: ${said.trim() || `exit ${code}`}`);
  } finally {
    git.kill();
  }
}

/** All that git prints of a question with a short answer; undefined when it fails. */
export async function askGit(folder: string, args: readonly string[]): Promise<string | undefined> {
  try {
    let answer = '';
    for await (const chunk of runGit(folder, args)) answer = (answer + chunk).slice(0, MAX_SAID);
    return answer.trim();
  } catch (error) {
    if (error instanceof ScanError) return undefined;
    throw error;
  }
}

async function exitOf(ended: Promise<unknown[]>): Promise<unknown[]> {
  try {
    return await ended;
  } catch (cause) {
    throw new ScanError('git cannot be started; is it installed?', { cause });
  }
}
