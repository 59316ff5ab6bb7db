import express, { type Express } from 'express';
import type { Environment, Paymount } from 'paymount';
import type { MerchantLogin } from './merchant-login.ts';

/**
 * One environment at an address of its own: the API. In test also OAuth, the login of merchants'
 * users, their dashboard, which shows both environments, and the invoices of customers.
 */
export function createPaymentsApp(
  paymount: Paymount,
  environment: Environment,
  issuer: string,
  { routes, identity }: MerchantLogin,
): Express {
  const app = express();
  app.use(paymount.router({ environment }));
  // The issuer of live is an https address, which a proxy would have.
  if (environment === 'live') return app;
  const appearance = { name: 'The tea shop', colors: { accent: '#0b6e4f' } };
  app.use(paymount.oauthRouter({ environment, issuer, identity, appearance }));
  app.use(routes);
  app.use('/invoices', paymount.invoiceRouter({ environment }));
  const looks = { name: appearance.name, color: appearance.colors.accent };
  const apiReference = { url: '/' };
  app.use('/dashboard', paymount.dashboardRouter({ identity, appearance: looks, apiReference }));
  return app;
}
