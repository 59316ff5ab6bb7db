import { errorFacts, fill, type PaymountError, type RequestId } from '@paymount/core/kernel';
import { connectionHeaders, html, type RouteResponse } from '@paymount/http';
import { OAUTH_PATH } from '../oauth-api.ts';
import { APPLICATIONS_PATH, endApplication, showApplications } from './applications.ts';
import { authorize } from './authorize.ts';
import { answerInteraction, showInteraction } from './interaction.ts';
import { isInteractionPath } from './interaction-path.ts';
import { PageError } from './page-error.ts';
import {
  type BrowserRequest,
  languageOf,
  renderMessage,
  renderRefusal,
  type Site,
} from './site.ts';
import type { PageTexts } from './texts/page-texts.ts';

const AUTHORIZE_PATH = `${OAUTH_PATH}/authorize`;

type Handler = (site: Site, asked: BrowserRequest) => Promise<RouteResponse>;

/** A page by its method. */
type PageHandlers = Readonly<Partial<Record<'GET' | 'POST', Handler>>>;

const PAGES: readonly {
  /** For the log: it contains no id. */
  readonly route: string;
  readonly has: (pathname: string) => boolean;
  readonly handlers: PageHandlers;
}[] = [
  {
    route: AUTHORIZE_PATH,
    has: (pathname) => pathname === AUTHORIZE_PATH,
    handlers: { GET: authorize },
  },
  {
    route: `${OAUTH_PATH}/interactions/:id`,
    has: isInteractionPath,
    handlers: { GET: showInteraction, POST: answerInteraction },
  },
  {
    route: APPLICATIONS_PATH,
    has: (pathname) => pathname === APPLICATIONS_PATH,
    handlers: { GET: showApplications, POST: endApplication },
  },
];

/** The pages of a mount, for browsers. */
export interface OAuthPages {
  /** @returns the page of a path below the mount */
  find(pathname: string): OAuthPage | undefined;
  /** The page for an error. @param requestId with which the log names its cause */
  renderError(
    error: PaymountError,
    request: BrowserRequest['request'],
    requestId: RequestId,
  ): RouteResponse;
}

/** A page. */
export interface OAuthPage {
  /** Its path without ids. */
  readonly route: string;
  readonly methods: readonly string[];
  /** @param method one of `methods` @throws PaymountError for a malformed request */
  respond(method: string, asked: BrowserRequest): Promise<RouteResponse>;
}

/** Makes the pages of one mount. */
export function createOAuthPages(site: Site): OAuthPages {
  return {
    find(pathname) {
      const page = PAGES.find(({ has }) => has(pathname));
      return page && { ...page, ...toPage(site, page) };
    },
    renderError(error, request, requestId) {
      const { status } = errorFacts(error.code);
      const { language, texts } = languageOf(site, request);
      const page = renderMessage(site, {
        status,
        language,
        title: texts.errorTitle,
        message: messageOf(texts, status) ?? error.message,
        advice: html`${fill(adviceOf(texts, status), { request: requestId })}`,
      });
      return { ...page, headers: { ...page.headers, ...connectionHeaders(error) } };
    },
  };
}

/** Undefined where only the error itself says what is wrong. */
function messageOf({ problems }: PageTexts, status: number): string | undefined {
  if (status === 429) return problems.tooMany;
  if (status === 503) return problems.unavailable;
  return status >= 500 ? problems.failed : undefined;
}

function adviceOf(texts: PageTexts, status: number): string {
  if (status === 429 || status === 503) return texts.tryLater;
  return status >= 500 ? texts.reportIt : texts.startAgain;
}

function toPage(
  site: Site,
  { route, handlers }: { readonly route: string; readonly handlers: PageHandlers },
): Omit<OAuthPage, 'route'> {
  return {
    methods: Object.keys(handlers),
    async respond(method, asked) {
      const handle = method === 'POST' ? handlers.POST : handlers.GET;
      if (handle === undefined) throw new TypeError(`The page has no ${method}.`);
      try {
        return await handle(site, asked);
      } catch (error) {
        if (!(error instanceof PageError)) throw error;
        logRefusal(site, { route, reason: error.reason, requestId: asked.origin.requestId });
        return renderRefusal(site, asked.request, error);
      }
    },
  };
}

/** Only a login that does not work is a fault of the host. */
function logRefusal(
  { logger }: Site,
  facts: Pick<PageError, 'reason'> & {
    readonly route: string;
    readonly requestId: RequestId | undefined;
  },
): void {
  const level = facts.reason === 'loginFailed' ? 'warn' : 'info';
  logger[level](facts, 'A page of OAuth refused a request.');
}
