import { Injectable } from '@nestjs/common';
import type { Account, Client } from 'oidc-provider';
import { Database } from '../../platform/database/database.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { groupsOfUser } from '../../users/groups/groups-of-users.js';
import { CredentialReader } from '../../users/credentials/credential-reader.js';

/** The claims about users. Whether a session may still speak for a user, its record knows. */
@Injectable()
export class OidcUsers {
  constructor(
    private readonly database: Database,
    private readonly relyingParties: RelyingPartyCache,
    private readonly reader: CredentialReader,
  ) {}

  /**
   * @param sub Base64URL of the user's row ID, which no other user ever gets
   * @param client as it is now: its earlier tokens give no groups once it may not have them
   * @returns `undefined` for a user who no longer exists
   */
  async find(domain: string, sub: string, client?: Client): Promise<Account | undefined> {
    const rp = this.relyingParties.current.find(domain);
    const id = Buffer.from(sub, 'base64url');
    const user = rp && (await this.reader.findUserById(rp, id));
    if (!user) return undefined;
    const { username, displayName, subject } = user;
    const claims = {
      sub,
      preferred_username: username,
      name: displayName,
      ...(subject !== undefined && { user_id: subject }),
    };
    return {
      accountId: sub,
      claims: async (_use, scopes) => {
        const areAsked = scopes.split(' ').includes('groups');
        const areAllowed = client?.scope?.split(' ').includes('groups');
        if (!areAsked || !areAllowed) return claims;
        return { ...claims, groups: await groupsOfUser(this.database, rp, id) };
      },
    };
  }
}
