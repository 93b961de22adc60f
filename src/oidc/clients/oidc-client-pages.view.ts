import { tagOf } from '../../platform/http/versions.js';
import { may } from '../../platform/access/permissions.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { PageVisit } from '../../platform/pages/submit-form.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { clientView } from './oidc-client.answer.js';
import { CLIENT_ALGORITHMS, CLIENT_KINDS, type OidcClient } from './oidc-client.entity.js';
import type { ClientsAddress } from './oidc-clients.js';

/** A client whose secret is new, which is shown only once. A public client has none. */
export interface ShownSecret {
  readonly client: OidcClient;
  readonly secret: string | undefined;
}

interface ClientsPageData {
  readonly rp: RelyingParty;
  readonly clients: readonly OidcClient[];
  readonly issuer: string;
  readonly shown: ShownSecret | undefined;
}

export const clientsAddress = ({ tenant, domain }: ClientsAddress): string =>
  `/tenants/${encodeURIComponent(tenant)}/${encodeURIComponent(domain)}/_clients`;

export function clientsPage(
  { rp, clients, issuer, shown }: ClientsPageData,
  { account, sent }: PageVisit,
) {
  const { tenant, domain } = rp;
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
    tenant: { name: tenant, address: `/tenants/${encodeURIComponent(tenant)}` },
    domain,
    party: address.replace(/\/_clients$/, ''),
    address,
    issuer,
    discovery: `${issuer}/.well-known/openid-configuration`,
    shown: shown && { name: shown.client.name, id: shown.client.clientId, secret: shown.secret },
    again: shown && address,
    clients: clients.map((client) => ({
      ...clientView(client),
      /** The value for `If-Match`. */
      tag: tagOf(client.changedAt),
      isPublic: client.kind === 'public',
      remove: `${address}/${client.clientId}/_remove`,
      rotate: `${address}/${client.clientId}/_secret`,
    })),
    fields: {
      name: field('name'),
      redirectUris: field('redirectUris'),
      postLogoutRedirectUris: field('postLogoutRedirectUris'),
      groups: { selected: field('groups').value === 'yes' },
    },
    kinds: choices('kinds', CLIENT_KINDS),
    algorithms: choices('algorithms', CLIENT_ALGORITHMS),
  };
}
