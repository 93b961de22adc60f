import express from 'express';
import openid from 'express-openid-connect';
import session from 'express-session';
import * as client from 'openid-client';
import { Strategy, type VerifyFunction } from 'openid-client/passport';
import passport from 'passport';
import type { Page } from 'playwright-core';
import { barriersOf, overflowOf } from '../browser/support/admin-pages.js';
import { LIST_WAITS, VirtualAuthenticator } from '../browser/support/authenticator.js';
import { complaintsOf, openBrowser, type SuiteBrowser } from '../browser/support/browser.js';
import { registerOnDemo } from '../browser/support/demo-page.js';
import { adminClient } from '../support/client.js';
import { startRelyingApp, type RelyingApp } from '../support/oidc/relying-app.js';
import { addClient, authorizationRequest, discover, startIssuer } from '../support/oidc-issuer.js';
import type { TestServer } from '../support/test-server.js';

describe('the sign-in page of OpenID Connect', () => {
  let server: TestServer;
  let browser: SuiteBrowser;
  let page: Page;
  let app: RelyingApp;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startIssuer(), openBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });
  beforeEach(async () => {
    app = await startRelyingApp();
    const viewport = { width: 390, height: 844 };
    page = await (await browser.newContext({ viewport })).newPage();
    await VirtualAuthenticator.add(page);
  });
  afterEach(async () => {
    await page.context().close();
    await app.close();
  });

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const register = (username: string) => registerOnDemo(page, server, username);

  it('signs users of express-openid-connect in and out, by passkey and by name', async () => {
    await register('anna');
    await expressApp();
    await page.addInitScript(LIST_WAITS);
    const complaints = complaintsOf(page);
    await page.goto(app.url);
    await page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor();
    expect(await overflowOf(page)).toBe(0);
    await press('Sign in with a passkey');
    await page.getByText('Hello anna').waitFor();
    await page.goto(`${app.url}/logout`);
    await press('Sign out');
    await page.getByLabel('User name').fill('anna');
    await press('Sign in');
    await page.getByText('Hello anna').waitFor();
    expect(complaints).toEqual([]);
  });

  it('has no barriers, nor has the page that asks whether to sign out', async () => {
    await register('bea');
    await expressApp();
    await page.addInitScript(LIST_WAITS);
    await page.goto(app.url);
    await page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await press('Sign in with a passkey');
    await page.getByText('Hello bea').waitFor();
    await page.goto(`${app.url}/logout`);
    await page.getByRole('heading', { name: 'Sign out of localhost?' }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
  });

  it('signs in by the passkey that the browser offers in the name field', async () => {
    await register('carl');
    await expressApp();
    // The virtual device chooses from the list at once.
    await page.goto(app.url);
    await page.getByText('Hello carl').waitFor();
  });

  it.each(['Sign in with a passkey', 'Go back to Shop'])(
    'says after “%s” that a sign-in has ended in the meantime',
    async (button) => {
      await register(`late-${button.length}`);
      const clientId = await expressApp();
      await page.addInitScript(LIST_WAITS);
      await page.goto(app.url);
      await page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor();
      const path = `/tenantapi/tenants/default/relying-parties/localhost/clients/${clientId}`;
      const removed = await adminClient(server.url).send(path, { method: 'DELETE' });
      expect(removed.status).toBe(200);
      await press(button);
      await page.getByText('This sign-in has ended').waitFor();
    },
  );

  it('is in the language of the browser', async () => {
    await expressApp();
    const german = await (await browser.newContext({ locale: 'de' })).newPage();
    await german.goto(app.url);
    await german.getByRole('heading', { name: 'Bei Shop anmelden' }).waitFor();
    await german.context().close();
  });

  it('signs in without a prompt by a form of another site, whose request has no cookie of the session', async () => {
    await register('emma');
    const redirectUri = `${app.url}/callback`;
    const config = await discover(await addClient(server, { redirectUris: [redirectUri] }));
    const { address } = await authorizationRequest(config, { redirect_uri: redirectUri });
    const back = new RegExp(`^${redirectUri}\\?.*\\bcode=`);
    await page.addInitScript(LIST_WAITS);
    await page.goto(address.href);
    await press('Sign in with a passkey');
    await page.waitForURL(back);
    const fields = [...address.searchParams].map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
    );
    app.express.get('/', (_, response) => {
      response.send(`<form method="post" action="${address.origin}${address.pathname}">
        ${fields.join('')}<button>Sign in to Shop</button></form>`);
    });
    // For browsers this is another site than localhost.
    await page.goto(app.url.replace('localhost', '127.0.0.1'));
    await press('Sign in to Shop');
    await page.waitForURL(back);
  });

  it('signs users of passport in', async () => {
    await register('dora');
    const callbackURL = `${app.url}/callback`;
    const config = await discover(await addClient(server, { redirectUris: [callbackURL] }));
    const verify: VerifyFunction = (tokens, done) => done(null, tokens.claims());
    const own = new passport.Passport();
    own.use('passkey', new Strategy({ config, scope: 'openid profile', callbackURL }, verify));
    own.serializeUser((user, done) => done(null, user));
    own.deserializeUser<Express.User>((user, done) => done(null, user));
    app.express.use(
      session({ secret: 'a secret of the app', resave: false, saveUninitialized: false }),
    );
    app.express.use(own.initialize(), own.session());
    app.express.get('/login', own.authenticate('passkey') as express.RequestHandler);
    app.express.get(
      '/callback',
      own.authenticate('passkey', { successRedirect: '/' }) as express.RequestHandler,
    );
    app.express.get('/', (request, response) => {
      const { preferred_username: name } = request.user as unknown as client.IDToken;
      response.send(`Hello ${String(name)}`);
    });
    await page.addInitScript(LIST_WAITS);
    await page.goto(`${app.url}/login`);
    await press('Sign in with a passkey');
    await page.getByText('Hello dora').waitFor();
  });

  /** The application of express-openid-connect's own documentation. */
  async function expressApp() {
    const { clientId, secret, issuer } = await addClient(server, {
      redirectUris: [`${app.url}/callback`],
      postLogoutRedirectUris: [app.url],
      algorithm: 'RS256',
    });
    app.express.use(
      openid.auth({
        issuerBaseURL: issuer,
        baseURL: app.url,
        clientID: clientId,
        ...(secret !== undefined && { clientSecret: secret }),
        secret: 'a long text that only this application knows',
        authRequired: true,
        idpLogout: true,
        authorizationParams: { response_type: 'code', scope: 'openid profile' },
      }),
    );
    app.express.get('/', (request, response) => {
      response.send(`Hello ${String(request.oidc.user?.['preferred_username'])}`);
    });
    return clientId;
  }
});
