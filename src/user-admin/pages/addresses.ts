/** The query of an address, including `?`, without absent values. Safe in an attribute. */
export function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const query = new URLSearchParams(entries).toString();
  return query === '' ? '' : `?${query}`;
}

/** The address of a user's page. */
export const userAddress = (name: string, rp: string, more: Record<string, string> = {}): string =>
  `/userapi/user${queryOf({ name, rp, ...more })}`;

/** The address of the page that explains why a request was refused. */
export const explainAddress = (request: string): string =>
  `/userapi/explain${queryOf({ request })}`;

/** The address of all audit rows of a request, regardless of their users. */
export const auditAddress = (requestId: string): string =>
  `/userapi/audit${queryOf({ requestId })}`;

/** The field for the address of invitations on a relying party's page. */
export const enrolmentUrlOf = ({ tenant, domain }: { tenant: string; domain: string }): string =>
  `/tenants/${encodeURIComponent(tenant)}/${domain}#field-enrolmentUrl`;

interface NamedUser {
  readonly username: string;
  readonly displayName: string;
  readonly relyingParty: { readonly domain: string };
}

/** A user in a table of a page. */
export function userEntry({ username: name, displayName, relyingParty: { domain } }: NamedUser) {
  return {
    name,
    displayName: displayName === name ? undefined : displayName,
    domain,
    /** Identifies the user in forms; a domain contains no slash. */
    value: `${domain}/${name}`,
    address: userAddress(name, domain),
  };
}
