import { parseId } from '@paymount/core/kernel';
import type { InteractionId } from '@paymount/core/oauth';
import { OAUTH_PATH } from '../oauth-api.ts';
import { publicPath } from './public-path.ts';
import type { Site } from './site.ts';

const PATH = `${OAUTH_PATH}/interactions/`;

/** The public path of an interaction. */
export function interactionPath(site: Pick<Site, 'issuer'>, id: InteractionId): string {
  return publicPath(site, `${PATH}${id}`);
}

/** Whether a path below the mount has the form of an interaction's. */
export function isInteractionPath(pathname: string): boolean {
  return pathname.startsWith(PATH);
}

/** The id in a path below the mount. */
export function interactionIdIn(pathname: string): InteractionId | undefined {
  return parseId('int', pathname.slice(PATH.length));
}
