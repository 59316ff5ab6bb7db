import { useBrowserSetup } from './browser-setup.ts';
import { rotateKey } from './journeys/rotate-key.ts';
import { setUpShop } from './journeys/set-up-shop.ts';
import { tryEndpoint } from './journeys/try-endpoint.ts';
import { checkLook, LIGHT_DESKTOP } from './looks.ts';
import { useShopSetup } from './shop-setup.ts';

// Each runs in one look here, and in all four in the nightly tests of this folder.

describe('A new merchant from the login, by keyboard alone in Chromium', function () {
  const shop = useShopSetup(this, /status of 401/);

  it('logs in, makes a key, mends what failed, and revokes the key', () =>
    setUpShop(shop, LIGHT_DESKTOP));
});

describe('The dashboard in Chromium', function () {
  const site = useBrowserSetup(this);

  it('registers an endpoint, sends it a test event, and deletes it', () =>
    tryEndpoint(site, LIGHT_DESKTOP));

  it('rotates a key: both work, and each page names the other', () =>
    rotateKey(site, LIGHT_DESKTOP));

  it('has no page among the most used with a serious fault for axe, or wider than the screen', async () => {
    const { acting, paymount } = site.setup;
    const sale = { amount: 700, currency: 'eur', payment_method: 'pm_card_visa' };
    const { id } = await paymount.charges.create(acting, sale);
    await checkLook(site, LIGHT_DESKTOP, {
      '': 'Home',
      charges: 'Charges',
      [`charges/${id}`]: 'Charge',
      endpoints: 'Webhooks',
      keys: 'API keys',
    });
  });
});
