import { parseId } from '@paymount/core/kernel';
import type { InteractionId } from '@paymount/core/oauth';
import { OAUTH_PATH } from '../oauth-api.ts';
import { publicPath } from './public-path.ts';
import type { Site } from './site.ts';

const PATH = `${OAUTH_PATH}/interactions/`;
/** Of the id's end, which is random. */
const PAGE_LENGTH = 8;

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

/** The name of an interaction's page in its cookie: each open page has a cookie of its own. */
export function pageOf(id: InteractionId): string {
  return id.slice(-PAGE_LENGTH);
}
