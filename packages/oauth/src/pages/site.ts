import type { IncomingMessage } from 'node:http';
import type { Identity } from '@paymount/auth';
import {
  type AuditContext,
  type Clock,
  chooseLanguage,
  type Environment,
  type Logger,
} from '@paymount/core/kernel';
import type {
  ConnectedApplications,
  GrantService,
  InteractionService,
  PlatformReader,
} from '@paymount/core/oauth';
import { type Html, html, type RouteResponse } from '@paymount/http';
import type { Parameters } from '../parameters.ts';
import type { Appearance } from './appearance.ts';
import { renderPage } from './layout.ts';
import type { PageError } from './page-error.ts';

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
  readonly logger: Logger;
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

/** The page for a refusal, which says what to do next. */
export function renderRefusal(
  site: Pick<Site, 'appearance' | 'issuer'>,
  request: IncomingMessage,
  { status, reason, openAgain }: PageError,
): RouteResponse {
  const { language, texts } = languageOf(site, request);
  const advice =
    openAgain === undefined
      ? html`${texts.startAgain}`
      : html`<a href="${openAgain}">${texts.openAgain}</a>`;
  const message = texts.errors[reason];
  return renderMessage(site, { status, language, title: texts.errorTitle, message, advice });
}

/**
 * The page for a form whose user must log in first. It has a link instead of a redirect: the policy
 * of the page with the form does not let forms lead to the login, which may be on another origin.
 * @param next the path of a page that sends the browser to the login
 */
export function renderNewLogin(
  site: Pick<Site, 'appearance'>,
  { request }: Pick<BrowserRequest, 'request'>,
  next: string,
): RouteResponse {
  const { language, texts } = languageOf(site, request);
  const { title, message, next: label } = texts.newLogin;
  const advice = html`<a href="${next}">${label}</a>`;
  return renderMessage(site, { status: 200, language, title, message, advice });
}

/** A page with one message. */
export function renderMessage(
  { appearance }: Pick<Site, 'appearance'>,
  content: {
    readonly status: number;
    readonly language: string;
    readonly title: string;
    readonly message: string;
    readonly advice: Html;
  },
): RouteResponse {
  const { message, advice, ...page } = content;
  const body = html`<h1>${page.title}</h1>\n<p>${message}</p>\n<p>${advice}</p>`;
  return renderPage(appearance, { ...page, body, formAction: [] });
}
