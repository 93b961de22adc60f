import type { Policy } from './policy/policy.js';
import type { KeyShapes } from './key-survey/key-shapes.js';
import type { WellKnown } from './well-known/well-known.js';

/** The scope of every user and credential; the first argument of all scoped functions. */
export interface RelyingParty {
  readonly id: Buffer;
  readonly tenantId: Buffer;
  readonly tenant: string;
  /** WebAuthn's RP ID. */
  readonly domain: string;
  readonly rpIdHash: Buffer;
  readonly name: string;
  /** All origins whose ceremonies are accepted: listed origins, related origins and apps. */
  readonly origins: readonly string[];
  /** The stored list `origins` alone, without related origins and apps. */
  readonly listedOrigins: readonly string[];
  /** The app origins that name it where a call sends no header. */
  readonly confirmedApps: readonly string[];
  readonly wellKnown: WellKnown;
  /** The domain whose users it takes over. */
  readonly predecessor: string | null;
  /** Only a `PredecessorDomain` has one: the compiler refuses it where it could be taken for the relying party of the call. */
  readonly successor?: undefined;
  readonly policy: Policy;
  /** The audiences of the policy that belong to another tenant: no sign-in gets a token for them. */
  readonly foreignAudiences: readonly string[];
  /** Shapes of the keys that are made up for unknown users, if the policy requires it. */
  readonly keyShapes: readonly KeyShapes[];
  /** The relying party's own page for invitations; https, on one of its origins. */
  readonly enrolmentUrl: string | null;
  /** `#rrggbb` */
  readonly colour: string | null;
  /** Increases with each change, so that a reader can check whether these members are current. */
  readonly changedAt: number;
}

/**
 * The predecessor as the pages of its successor use it: with its own users, keys and RP ID, but the origins and the policy
 * of the successor.
 */
export type PredecessorDomain = Omit<RelyingParty, 'successor'> & {
  readonly successor: RelyingParty;
};

/** Whose keys sign in: those of the call's relying party, or during a move those of the predecessor. */
export type KeyDomain = RelyingParty | PredecessorDomain;

/** The relying party of the call, to which events and tokens belong. */
export const receiverOf = (keyDomain: KeyDomain): RelyingParty => keyDomain.successor ?? keyDomain;

/** `localhost` is for development: any port, with and without TLS. */
export function defaultOrigins(domain: string): string[] {
  return domain === 'localhost'
    ? ['http://localhost:*', 'https://localhost:*']
    : [`https://${domain}`];
}
