/** Browsers tokenize cards from any origin; no cookies are involved. */
export const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Request-Id, RateLimit, RateLimit-Policy, Retry-After',
} as const;

/** The answer to a preflight of such a POST; it needs no key. */
export const PREFLIGHT = {
  status: 204,
  body: '',
  headers: {
    ...CORS_HEADERS,
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers':
      'Authorization, Content-Type, Idempotency-Key, Stripe-Account, Stripe-Version',
    'Access-Control-Max-Age': '86400',
  },
} as const;
