import { createHash } from 'node:crypto';
import { foldedName } from '../platform/validation/values/folded-name.js';
import { normalizeName } from '../platform/validation/values/names.js';
import type { Policy } from './policy/policy.js';
import type { KeyShapes } from './unknown-users/key-shapes.js';
import type { WellKnown } from './well-known/well-known.js';

/** The scope of every user and credential; the first argument of everything scoped. */
export interface RelyingParty {
  readonly id: Buffer;
  readonly tenantId: Buffer;
  readonly tenant: string;
  /** WebAuthn's RP ID. */
  readonly domain: string;
  readonly rpIdHash: Buffer;
  readonly name: string;
  /** Origins whose ceremonies count: those listed, related origins, and apps. */
  readonly origins: readonly string[];
  /** The stored list `origins` alone, without related origins and apps. */
  readonly listedOrigins: readonly string[];
  readonly wellKnown: WellKnown;
  /** The domain from which it takes its users over. */
  readonly predecessor: string | null;
  /** The successor, where its page uses this predecessor: events and tokens are the successor's. */
  readonly successor?: RelyingParty;
  readonly policy: Policy;
  /** Shapes by which keys are made up for unknown users, where the policy says so. */
  readonly keyShapes: readonly KeyShapes[];
  /** Its own page for invitations; https, on one of its origins. */
  readonly enrolmentUrl: string | null;
  /** `#rrggbb` */
  readonly colour: string | null;
  /** Rises with each change, so that a reader can check whether these members are still current. */
  readonly changedAt: number;
}

export const rpIdHashOf = (domain: string): Buffer => createHash('sha256').update(domain).digest();

/** `localhost` is where people try things out: any port, with and without TLS. */
export function defaultOrigins(domain: string): string[] {
  return domain === 'localhost'
    ? ['http://localhost:*', 'https://localhost:*']
    : [`https://${domain}`];
}

type Comparing = Pick<RelyingParty, 'policy'>;

/** Whether two names that differ in their case alone are one user's. */
export const ignoresCase = ({ policy }: Comparing): boolean =>
  policy.usernames === 'case-insensitive';

/** What a relying party compares user names by: the same of two names that are one user's. */
export const nameKey = (rp: Comparing, name: string): string =>
  ignoresCase(rp) ? foldedName(name) : normalizeName(name);
