import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A folder made at run time, with git when it is asked for. */
export interface Folder {
  readonly path: string;
  write(file: string, content: string | Buffer): Promise<void>;
  /** Runs git there, as nobody in particular. @returns what it printed, trimmed */
  git(...args: readonly string[]): Promise<string>;
  /** Commits everything. @returns the name of the commit */
  commit(message: string): Promise<string>;
  remove(): Promise<void>;
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

/** Makes an empty folder; `remove()` it in `after`. */
export async function newFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'paymount-scan-'));
  const git = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await run('git', ['-C', path, ...args], {
      env: { ...process.env, ...IDENTITY },
    });
    return stdout.trim();
  };
  return {
    path,
    git,
    async write(file, content) {
      await mkdir(dirname(join(path, file)), { recursive: true });
      await writeFile(join(path, file), content);
    },
    async commit(message) {
      await git('add', '--all');
      await git('commit', '--quiet', '--message', message);
      return git('rev-parse', 'HEAD');
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** The same, with an empty repository in it. */
export async function newRepository(): Promise<Folder> {
  const folder = await newFolder();
  await folder.git('init', '--quiet', '--initial-branch=main');
  return folder;
}

/** Makes folders, and removes them after the tests of the suite that calls this. */
export function keptFolders(): (make: () => Promise<Folder>) => Promise<Folder> {
  const folders: Folder[] = [];
  after(() => Promise.all(folders.map((each) => each.remove())));
  return async (make) => {
    const made = await make();
    folders.push(made);
    return made;
  };
}
