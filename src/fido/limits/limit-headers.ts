import type { Limit, LimitState } from '../../platform/access/limits/shared-limiter.js';

/** An answer to which headers are written. */
export interface HeaderSink {
  setHeader(name: string, value: string): unknown;
}

/**
 * An item of `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10 §3): quota, and its window in
 * seconds.
 */
export const policyItem = ({ name, points, seconds }: Limit): string =>
  `"${name}";q=${points};w=${seconds}`;

/** An item of `RateLimit` (§4): what is left of the quota, and the seconds until it is whole again. */
export const limitItem = (name: string, { left, reset }: LimitState): string =>
  `"${name}";r=${left};t=${reset}`;
