/** A cloud of Entra ID: where its tenants are, and where a user returns to it. */
export interface EntraCloud {
  readonly origin: string;
  readonly redirectUri: string;
}

/**
 * The clouds of Entra ID: the public one, that of the US government, and that of China. Nothing is read from other hosts,
 * and no user is sent to another address.
 */
const CLOUDS: readonly EntraCloud[] = [
  'https://login.microsoftonline.com',
  'https://login.microsoftonline.us',
  'https://login.partner.microsoftonline.cn',
].map((origin) => ({ origin, redirectUri: `${origin}/common/federation/externalauthprovider` }));

/** The cloud that a request comes from; `undefined` for an address that is none of Entra's. */
export const cloudOf = (redirectUri: string | undefined): EntraCloud | undefined =>
  CLOUDS.find((cloud) => cloud.redirectUri === redirectUri);

/** The issuer of a tenant's tokens (version 2.0). */
export const tenantIssuer = ({ origin }: EntraCloud, tenantId: string): string =>
  `${origin}/${tenantId}/v2.0`;
