import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = fileURLToPath(new URL('../../packages', import.meta.url));

/** Names of the folders of our packages; a folder of a former package keeps its `dist` on a disk. */
export function packageFolders(): string[] {
  return readdirSync(PACKAGES).filter((name) => existsSync(join(PACKAGES, name, 'package.json')));
}
