import { EntraSource } from '../../../src/entra/entra-source.js';
import { OidcBrowser } from '../oidc-browser.js';
import { addClient, startIssuer } from '../oidc-issuer.js';
import { rowsOf } from '../rows.js';
import type { ServerSettings, TestServer } from '../test-server.js';
import type { AnswerForm, EntraTenant, ExternalMethod } from './entra-tenant.js';

/** A server with `--entra on` that finds tenants of Entra ID at the hosts of Microsoft. */
export async function startEntra(
  tenants: readonly EntraTenant[],
  { options, ...settings }: ServerSettings = {},
): Promise<TestServer> {
  const server = await startIssuer({
    ...settings,
    options: { oidc: false, entra: true, ...options },
  });
  serveTenants(server, tenants);
  return server;
}

/** Lets a server find tenants of Entra ID at the hosts of Microsoft. */
export function serveTenants(server: TestServer, tenants: readonly EntraTenant[]): void {
  server.get(EntraSource).read = async (url) => {
    const tenant = tenants.find(({ id }) => url.pathname.startsWith(`/${id}/`));
    if (!tenant) throw new Error(`${url.href} answered with status 404`);
    return tenant.read(url);
  };
  for (const tenant of tenants) tenant.now = () => server.clock.now();
}

/** Adds a client of the kind entra over the API. */
export const addMethod = (
  server: Pick<TestServer, 'url'>,
  { id: tenantId, appId }: EntraTenant,
  { at, ...members }: { at?: { tenant: string; domain: string }; userClaim?: string } = {},
): Promise<ExternalMethod> => {
  const entra = { name: 'Contoso', kind: 'entra', redirectUris: undefined, tenantId, appId };
  return addClient(server, { ...entra, ...members }, at);
};

/** Gives a user the ID that a directory would give by SCIM. */
export const setExternalId = (server: TestServer, username: string, oid: string) =>
  rowsOf(
    server,
    'UPDATE users SET external_id = ? WHERE username = ?',
    Buffer.from(oid),
    Buffer.from(username),
  );

/** What a page sends by its form at once, or by its button. */
export interface SentForm {
  readonly action: string;
  readonly fields: AnswerForm;
}

/** The forms of a page, in their order. */
export const formsIn = (page: string): SentForm[] =>
  [...page.matchAll(/<form action="([^"]+)"[^]*?<\/form>/g)].map(([form, action = '']) => ({
    action: unescaped(action),
    fields: Object.fromEntries(
      [...form.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
        name,
        unescaped(value),
      ]),
    ),
  }));

const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll(/&#x([0-9A-F]+);/gi, (_, code: string) => String.fromCharCode(Number(`0x${code}`)))
    .replaceAll('&amp;', '&');

/** Sends the browser from Entra's page to the authorization endpoint. */
export const sendFromEntra = (
  browser: OidcBrowser,
  { issuer }: ExternalMethod,
  request: URLSearchParams,
) =>
  browser.open(`${issuer}/authorize`, {
    method: 'POST',
    body: request,
    headers: {
      origin: 'https://login.microsoftonline.com',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
    },
  });

/** Signs in on the page to which the browser came; answers the form that its script sends to Entra. */
export async function answerOf(
  browser: OidcBrowser,
  { url, page }: Awaited<ReturnType<typeof sendFromEntra>>,
  assertion: object,
): Promise<SentForm> {
  const answer = await browser.complete(url, assertion);
  if (answer.status !== 200) throw new Error(answer.text);
  const { idToken } = JSON.parse(answer.text) as { idToken: string };
  const [form] = formsIn(page.text);
  if (!form) throw new Error('The page has no form.');
  return { action: form.action, fields: { ...form.fields, id_token: idToken } };
}
