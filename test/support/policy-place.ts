import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import type { ChangeRelyingPartyDto } from '../../src/tenancy/tenancy.dto.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import {
  SoftAuthenticator,
  type SoftAuthenticatorOptions,
} from '../../packages/testing/src/soft-authenticator.js';
import { AdminClient } from './admin-client.js';
import { FidoClient } from './fido-client.js';
import type { TestServer } from './test-server.js';

let count = 0;

export type PolicyPlace = Awaited<ReturnType<typeof policyPlace>>;

/** A new relying party with a policy, and its users with groups. */
export async function policyPlace(server: TestServer, policy: RelyingPartyPolicy) {
  count += 1;
  const tenant = 'profiles';
  const domain = `profiles-${count}.example`;
  const origin = `https://${domain}`;
  await server.addRelyingParty(tenant, { domain, policy });
  const admin = new AdminClient(server.url, domain);
  const groups = new Map<string, readonly string[]>();
  const newUser = (
    options: SoftAuthenticatorOptions = {},
    authenticator = new SoftAuthenticator(options),
  ) => new FidoClient(server.url, { relyingParty: domain, origin, authenticator });
  const change = (dto: ChangeRelyingPartyDto) =>
    server.get(TenancyService).changeRelyingParty(server.call, tenant, domain, dto);
  const setGroups = async (username: string, names: readonly string[]) => {
    const answer = await admin.put('/userapi/users/groups', { username, groups: names });
    if (answer.status !== 200) throw new Error(`groups: ${answer.text}`);
    groups.set(username, names);
  };
  return {
    tenant,
    domain,
    origin,
    admin,
    newUser,
    setGroups,
    groupsOf: (username: string) => groups.get(username) ?? [],
    /** A user who has a key and these groups. */
    registered: async (
      username: string,
      names: readonly string[],
      options?: SoftAuthenticatorOptions,
    ) => {
      const client = newUser(options);
      const answer = await client.register(username);
      if (answer.status !== 200) throw new Error(`register: ${answer.text}`);
      await setGroups(username, names);
      return client;
    },
    setPolicy: (changed: RelyingPartyPolicy) => change({ policy: changed }),
    /** Lets the users of another place move here. */
    takeOver: async (old: { domain: string; change: typeof change }) => {
      await old.change({ policy: { registration: 'ticket' }, relatedOrigins: [origin] });
      await change({ predecessor: old.domain });
    },
    change,
  };
}
