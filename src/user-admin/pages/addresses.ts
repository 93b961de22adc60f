/** The query of an address, `?` included; absent values are left out. Safe in an attribute. */
export function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const query = new URLSearchParams(entries).toString();
  return query === '' ? '' : `?${query}`;
}

/** The address of a person's page. */
export const userAddress = (name: string, rp: string, more: Record<string, string> = {}): string =>
  `/userapi/user${queryOf({ name, rp, ...more })}`;

/** The address of the page that explains why a request was refused. */
export const explainAddress = (request: string): string =>
  `/userapi/explain${queryOf({ request })}`;

/** The address of all audit rows that one request left, whomever they are about. */
export const auditAddress = (requestId: string): string =>
  `/userapi/audit${queryOf({ requestId })}`;

/** The field of a relying party's page that says where invitations lead. */
export const enrolmentUrlOf = ({ tenant, domain }: { tenant: string; domain: string }): string =>
  `/tenants/${encodeURIComponent(tenant)}/${domain}#field-enrolmentUrl`;
