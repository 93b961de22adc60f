import { createHash } from 'node:crypto';
import type { RegistrationMode } from '../config/server-options.js';

/** What a relying party demands beyond the server's options; stricter of the two counts. */
export interface RelyingPartyPolicy {
  readonly userVerification?: 'required' | 'preferred' | 'discouraged';
  readonly registration?: RegistrationMode;
  /** What a signature counter that did not increase means: refuse, only record, or disable the key. */
  readonly counter?: 'reject' | 'warn' | 'disable';
  /** Origins of pages that may embed the ceremony in a cross-origin frame. */
  readonly topOrigins?: readonly string[];
}

/** The scope of every user and credential; the first argument of everything scoped. */
export interface RelyingParty {
  readonly id: Buffer;
  readonly tenantId: Buffer;
  readonly tenant: string;
  /** WebAuthn's RP ID. */
  readonly domain: string;
  readonly rpIdHash: Buffer;
  readonly name: string;
  readonly origins: readonly string[];
  readonly policy: RelyingPartyPolicy;
}

export const rpIdHashOf = (domain: string): Buffer => createHash('sha256').update(domain).digest();

/** `localhost` is where people try things out: any port, with and without TLS. */
export function defaultOrigins(domain: string): string[] {
  return domain === 'localhost'
    ? ['http://localhost:*', 'https://localhost:*']
    : [`https://${domain}`];
}
