import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ScanError } from './scan-error.ts';

const MAX_SAID = 8_192;

/** The repository is read as it is, and no program that its configuration names is run. */
const INERT = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];

/** Variables that git sets for its hooks, or a user sets; they may point to another repository. */
const INHERITED = new Set([
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_PREFIX',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_NAMESPACE',
  'GIT_SHALLOW_FILE',
  'GIT_GRAFT_FILE',
  'GIT_EXTERNAL_DIFF',
  'GIT_DIFF_OPTS',
]);

/**
 * Older versions of git, without `GIT_NO_LAZY_FETCH`, cannot fetch either: no protocol has this
 * name.
 */
const ENVIRONMENT = {
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
};

/**
 * Runs git and streams its output. git does not prompt, fetches nothing, and runs no program that
 * the repository names.
 * @param folder where it runs
 * @param onSaid called with its standard error, if it succeeded
 * @throws ScanError if git is missing or fails, with git's message
 */
export async function* runGit(
  folder: string,
  args: readonly string[],
  onSaid?: (said: string) => void,
): AsyncGenerator<Buffer, void, void> {
  const git = spawn('git', ['-C', folder, ...INERT, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...ownEnvironment(), ...ENVIRONMENT },
  });
  let said = '';
  git.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, MAX_SAID);
  });
  const ended = once(git, 'close');
  // Awaited below; until then a failure to start git must not end the process.
  ended.catch(() => undefined);
  try {
    const printed: AsyncIterable<Buffer> = git.stdout;
    for await (const chunk of printed) yield chunk;
    const [code] = await awaitExit(ended);
    if (code !== 0) throw new ScanError(`git failed: ${said.trim() || `exit ${code}`}`);
    onSaid?.(said);
  } finally {
    git.kill();
  }
}

/** The short output of a git command; undefined if it fails. */
export async function askGit(folder: string, args: readonly string[]): Promise<string | undefined> {
  try {
    let reply = '';
    for await (const chunk of runGit(folder, args)) reply = (reply + chunk).slice(0, MAX_SAID);
    return reply.trim();
  } catch (error) {
    if (error instanceof ScanError) return undefined;
    throw error;
  }
}

function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !INHERITED.has(name)));
}

async function awaitExit(ended: Promise<unknown[]>): Promise<unknown[]> {
  try {
    return await ended;
  } catch (cause) {
    throw new ScanError('git cannot be started; is it installed?', { cause });
  }
}
