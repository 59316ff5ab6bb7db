import type { IncomingMessage } from 'node:http';
import type { AuditContext, Clock, Environment } from '@paymount/core/kernel';
import type {
  ConnectedApplications,
  GrantService,
  InteractionService,
  PlatformReader,
} from '@paymount/core/oauth';
import type { RouteResponse } from '@paymount/http';
import type { Identity } from '../identity.ts';
import type { Parameters } from '../parameters.ts';
import type { Appearance } from './appearance.ts';
import { html } from './html.ts';
import { renderPage } from './layout.ts';
import type { PageError } from './page-error.ts';
import { chooseLanguage } from './texts/languages.ts';
import type { PageTexts } from './texts/page-texts.ts';

/** The pages of one mount. */
export interface Site {
  readonly environment: Environment;
  /** The public URL of the mount, without a slash at its end. */
  readonly issuer: string;
  readonly identity: Identity;
  readonly appearance: Appearance;
  readonly platforms: PlatformReader;
  readonly interactions: InteractionService;
  readonly connectedApplications: Pick<ConnectedApplications, 'list'>;
  readonly grants: Pick<GrantService, 'revokeAll'>;
  readonly clock: Clock;
}

/** A request of a browser. */
export interface BrowserRequest {
  readonly request: IncomingMessage;
  /** Below the mount. */
  readonly pathname: string;
  readonly query: string;
  /** Of a POST. */
  readonly form: Parameters;
  /** The source of the request, for audit rows. */
  readonly origin: Pick<AuditContext, 'ip' | 'userAgent' | 'requestId'>;
}

/** Sends the browser on with a GET, also after a POST (RFC 9700, section 4.12). */
export function redirect(location: string, headers: RouteResponse['headers'] = {}): RouteResponse {
  return { status: 303, body: '', headers: { ...headers, Location: location } };
}

/** The texts in the language of the browser. */
export function languageOf({ appearance }: Pick<Site, 'appearance'>, request: IncomingMessage) {
  return chooseLanguage(appearance.languages, request.headers['accept-language']);
}

/** The page for a refusal. */
export function renderRefusal(
  site: Pick<Site, 'appearance'>,
  request: IncomingMessage,
  { status, reason }: Pick<PageError, 'status' | 'reason'>,
): RouteResponse {
  return renderMessage(site, request, { status, message: (texts) => texts.errors[reason] });
}

/** A page with one message. */
export function renderMessage(
  site: Pick<Site, 'appearance'>,
  request: IncomingMessage,
  { status, message }: { readonly status: number; readonly message: (texts: PageTexts) => string },
): RouteResponse {
  const { language, texts } = languageOf(site, request);
  const title = texts.errorTitle;
  const advice = status === 429 || status >= 500 ? texts.tryLater : texts.startAgain;
  const body = html`<h1>${title}</h1>\n<p>${message(texts)}</p>\n<p>${advice}</p>`;
  return renderPage(site.appearance, { status, language, title, body, formAction: [] });
}
