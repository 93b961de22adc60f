import { may } from '../../platform/access/permissions.js';
import type { ServerOptions } from '../../platform/config/server-config.js';
import { tagOf } from '../../platform/http/versions.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { PageVisit } from '../../platform/pages/submit-form.js';
import type { Tenant } from '../../tenancy/tenant.entity.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { issuerAddress } from '../issuer-address.js';
import { clientView } from './oidc-client.answer.js';
import { CLIENT_ALGORITHMS, USER_CLAIMS, type OidcClient } from './oidc-client.entity.js';

/** A client whose secret is new, which is shown only once. Only servers have one. */
export interface ShownSecret {
  readonly client: OidcClient;
  readonly secret: string | undefined;
}

interface ClientsPageData {
  readonly rp: RelyingParty;
  readonly tenant: Tenant;
  readonly clients: readonly OidcClient[];
  readonly options: ServerOptions;
  readonly shown: ShownSecret | undefined;
}

export const clientsAddress = ({ tenant, domain }: RelyingParty): string =>
  `/tenants/${encodeURIComponent(tenant)}/${encodeURIComponent(domain)}/_clients`;

export function clientsPage(
  { rp, tenant, clients, options, shown }: ClientsPageData,
  { account, sent }: PageVisit,
) {
  const { domain } = rp;
  const address = clientsAddress(rp);
  const field = (name: string) => {
    const value = sent?.fields[name];
    return { value: typeof value === 'string' ? value : '', error: sent?.faults[name] };
  };
  const choices = (name: string, words: readonly string[]) =>
    words.map((value) => ({
      value,
      text: phrase(`oidc:clients.${name}.${value}`),
      selected: field(name).value === value,
    }));
  return {
    title: phrase('oidc:clients.title', { name: domain }),
    texts: 'oidc',
    nav: { tenants: true },
    styles: ['/static/css/users.css', '/static/css/tenants.css'],
    refused: sent !== undefined,
    mayChange: may(account, 'clients:change'),
    tenant: {
      displayName: tenant.displayName,
      address: `/tenants/${encodeURIComponent(tenant.name)}`,
    },
    domain,
    party: address.replace(/\/_clients$/, ''),
    address,
    oidc: options.oidc,
    entra: options.entra,
    issuers: (['oidc', 'entra'] as const)
      .filter((door) => options[door])
      .map((door) => {
        const issuer = issuerAddress(options, door, domain);
        return { issuer, discovery: `${issuer}/.well-known/openid-configuration` };
      }),
    shown: shown && { name: shown.client.name, id: shown.client.clientId, secret: shown.secret },
    again: shown && address,
    clients: clients.map((client) => ({
      ...clientView(options, domain, client),
      /** The value for `If-Match`. */
      tag: tagOf(client.changedAt),
      hasSecret: client.secretHash !== null,
      remove: `${address}/${client.clientId}/_remove`,
      rotate: `${address}/${client.clientId}/_secret`,
    })),
    fields: {
      name: field('name'),
      redirectUris: field('redirectUris'),
      postLogoutRedirectUris: field('postLogoutRedirectUris'),
      tenantId: field('tenantId'),
      appId: field('appId'),
      groups: { selected: field('groups').value === 'yes' },
    },
    kinds: choices('kinds', ['web', 'public']),
    userClaims: choices('userClaims', USER_CLAIMS),
    algorithms: choices('algorithms', CLIENT_ALGORITHMS),
  };
}
