import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import express from 'express';
import { merchantLogin } from '../../example-host/src/merchant-login.ts';
import { createMerchantUser } from '../../example-host/src/merchants.ts';
import { type OpenShop, openShop } from '../support/open-shop.ts';

const PASSWORD = 'a long password';

describe('The login of merchants in the example shop', () => {
  let shop: OpenShop;
  let server: Server;
  let url: string;

  before(async () => {
    shop = await openShop();
    const { routes } = merchantLogin(shop.database);
    server = express().use(routes).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await createMerchantUser(shop.database, { name: 'Ada <b>', password: PASSWORD, accounts: [] });
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await shop.close();
  });

  const logIn = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(`${url}/login`, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: new URLSearchParams({ name: 'Ada <b>', password: PASSWORD, ...fields }),
    });

  it('leads to the page that asked for it, or to a page of its own', async () => {
    const asked = await logIn({ returnTo: '/oauth/applications' });
    expect([asked.status, asked.headers.get('location')]).to.deep.equal([
      303,
      '/oauth/applications',
    ]);
    for (const returnTo of ['', '//evil.example', '/\\evil.example', 'https://evil.example/']) {
      const { headers } = await logIn({ returnTo });
      expect(headers.get('location'), returnTo).to.equal('/welcome');
    }
    const cookie = String((await logIn({})).headers.get('set-cookie')).split(';')[0] ?? '';
    const welcome = await fetch(`${url}/welcome`, { headers: { cookie } });
    expect(await welcome.text()).to.include('You are logged in as Ada &lt;b>.');
    const nobody = await fetch(`${url}/welcome`, { redirect: 'manual' });
    expect(nobody.headers.get('location')).to.equal('/login');
  });

  it('says why somebody who is logged in must log in again', async () => {
    const again = await fetch(`${url}/login?reason=reauthenticate&returnTo=/x`);
    expect(await again.text()).to.include(
      '<p role="alert">Log in again. This needs a login of the last few minutes.</p>',
    );
    const first = await fetch(`${url}/login?reason=login&returnTo=/x`);
    expect(await first.text()).not.to.include('role="alert"');
  });

  it('logs out for its own form only', async () => {
    const cookie = String((await logIn({})).headers.get('set-cookie')).split(';')[0] ?? '';
    const logOut = async (origin: string) =>
      (
        await fetch(`${url}/logout`, {
          method: 'POST',
          redirect: 'manual' as const,
          headers: { cookie, origin },
        })
      ).status;
    const isLoggedIn = async () =>
      (await fetch(`${url}/welcome`, { headers: { cookie }, redirect: 'manual' })).status === 200;
    expect([await logOut('https://evil.example'), await isLoggedIn()]).to.deep.equal([403, true]);
    expect([await logOut(url), await isLoggedIn()]).to.deep.equal([303, false]);
  });

  it('refuses forms of other sites, and wrong passwords', async () => {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      const refused = await logIn({}, headers);
      expect([refused.status, refused.headers.get('set-cookie')]).to.deep.equal([403, null]);
      expect(await refused.text()).to.include('<a href="/login">Open the login page again.</a>');
    }
    expect((await logIn({}, { origin: url })).status).to.equal(303);
    expect((await logIn({}, { 'sec-fetch-site': 'same-origin' })).status).to.equal(303);
    expect((await logIn({ password: 'guess' })).status).to.equal(401);
  });
});
