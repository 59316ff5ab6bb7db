import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file of the browser application, ready to be sent. */
export interface AppFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
}

/** A page of the browser application. */
export interface AppPage {
  readonly html: string;
  readonly csp: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
};
const NONCE_BYTES = 16;

/** The files that Vite built. They are read once: no path of a request ever reaches the disk. */
export class AppFiles {
  readonly #index: string;
  readonly #assets = new Map<string, AppFile>();

  /** @throws Error if the browser application was not built */
  constructor(folder: string = appFolder()) {
    const index = join(folder, 'index.html');
    if (!existsSync(index)) {
      throw new Error('The pages of the dashboard are not built: run `npm run build`.');
    }
    this.#index = readFileSync(index, 'utf8');
    const assets = join(folder, 'assets');
    for (const name of readdirSync(assets)) {
      const type = TYPES[extname(name)];
      if (type === undefined) continue;
      const bytes = readFileSync(join(assets, name));
      const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
      this.#assets.set(name, { type, bytes, zipped: gzipSync(bytes), etag });
    }
  }

  /** A file by its name, which contains a hash of its contents. */
  asset(name: string): AppFile | undefined {
    return this.#assets.get(name);
  }

  /**
   * The page, which is the same for all addresses below the mount.
   * @param depth how many slashes the path has below the mount: all addresses of files are relative
   *   to the mount, whose public path only the browser knows
   */
  page(depth: number): AppPage {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    const base = depth <= 1 ? './' : '../'.repeat(depth - 1);
    const html = this.#index.replaceAll('__NONCE__', nonce).replaceAll('__BASE__', base);
    const csp = [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'self'",
    ].join('; ');
    return { html, csp };
  }
}

function appFolder(): string {
  const manifest = createRequire(import.meta.url).resolve('@paymount/dashboard/package.json');
  return join(dirname(manifest), 'dist', 'app');
}
