import { tableOf } from '../../platform/database/entities/table.js';
import type { Scope } from '../../platform/database/scope.js';
import { select, sql, type RowOf } from '../../platform/database/statement.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { OidcClient, type EntraSettings } from './oidc-client.entity.js';

const clients = tableOf(OidcClient);
const relyingParties = tableOf(RelyingPartyEntity);

/** A statement of its own, since each request of a sign-in reads the client. */
export const CLIENT_OF_ISSUER = select(clients.pick(...clients.names)).from<
  Scope & { clientId: string }
>(`${clients.from} WHERE ${clients.scope} AND ${clients.clientId} = :clientId`, { small: true });

/** Lists and settings are JSON, and booleans numbers. */
type ClientRow = RowOf<typeof CLIENT_OF_ISSUER>;

/** Locks an open relying party that may have another client, without changing it. */
export const LOCK_RELYING_PARTY_WITH_ROOM = sql<
  Scope & { most: number }
>(`UPDATE ${relyingParties.from}
  SET ${relyingParties.changedAt} = ${relyingParties.changedAt}
  WHERE ${relyingParties.id} = :relyingPartyId AND ${relyingParties.closedAt} = 0
    AND (SELECT COUNT(*) FROM ${clients.from} WHERE ${clients.scope}) < :most`);

export const clientOf = (row: ClientRow): OidcClient => ({
  ...row,
  redirectUris: JSON.parse(row.redirectUris) as string[],
  postLogoutRedirectUris: JSON.parse(row.postLogoutRedirectUris) as string[],
  groupsAllowed: Boolean(row.groupsAllowed),
  entra: row.entra === null ? null : (JSON.parse(row.entra) as EntraSettings),
});
