import type { Site } from './site.ts';

/** The path of a page as browsers see it. @param path below the mount */
export function publicPath({ issuer }: Pick<Site, 'issuer'>, path: string): string {
  const { pathname } = new URL(issuer);
  return `${pathname === '/' ? '' : pathname}${path}`;
}
