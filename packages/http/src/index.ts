// The /v1 API: bodies, parameters, pages, idempotency, errors, the OpenAPI document.
// It knows services and schemas of core and the guard's decision; no SQL, no processors, and of
// Express only what `host-request.ts` looks at: it works on node's request and response.
// Start at `serve.ts` (one request through rooms 2 to 8), then `charges/charge-routes.ts`.
export type { Api, ApiPorts } from './api.ts';
export { apiRoutes, createApi } from './api.ts';
export type { HostBody } from './host-request.ts';
export { bodyOfHostError, originalTarget } from './host-request.ts';
export { openApiOf } from './openapi.ts';
export type { Answer } from './render-answer.ts';
export { sendAnswer } from './render-answer.ts';
export { asPaymountError, renderError } from './render-error.ts';
export { parseInput } from './routing/judge-input.ts';
export type { Method, PathValues, Route, RouteFacts } from './routing/route.ts';
export type { Match } from './routing/route-index.ts';
export type { Visit } from './serve.ts';
export type { Services } from './services.ts';
