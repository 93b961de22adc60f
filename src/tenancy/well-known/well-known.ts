import type { AppsView, PasskeyEndpointsView } from './well-known.answer.js';

/**
 * The data that a relying party's domain publishes for browsers, systems and password managers under
 * `/.well-known`.
 */
export interface WellKnown {
  /** Origins at other domains whose pages may use the keys of this one (WebAuthn L3 §5.11). */
  readonly relatedOrigins: readonly string[];
  readonly apps: AppsView;
  readonly passkeyEndpoints: PasskeyEndpointsView;
}

const NOTHING: WellKnown = { relatedOrigins: [], apps: {}, passkeyEndpoints: {} };

/** Fills in the members that are not set: rows of earlier versions have none of them. */
export const completeWellKnown = (stored: Partial<WellKnown> | null): WellKnown => ({
  ...NOTHING,
  ...stored,
});

/** Picks the given members and no others. */
export const wellKnownIn = ({
  relatedOrigins,
  apps,
  passkeyEndpoints,
}: Partial<WellKnown>): Partial<WellKnown> => ({
  ...(relatedOrigins && { relatedOrigins }),
  ...(apps && { apps }),
  ...(passkeyEndpoints && { passkeyEndpoints }),
});

/**
 * Returns all origins whose ceremonies are accepted: the listed ones, the related ones, and those of Android
 * apps. (Apps of Apple's systems use the web origin of the domain.)
 *
 * @param listed the relying party's `origins`
 */
export function allowedOrigins(
  listed: readonly string[],
  { relatedOrigins, apps }: WellKnown,
): readonly string[] {
  const ofApps = (apps.android ?? []).flatMap(({ fingerprints }) => fingerprints.map(originOfApp));
  return [...new Set([...listed, ...relatedOrigins, ...ofApps])];
}

/** The origin of an app, as Android's credential manager writes it into the client data. */
const originOfApp = (fingerprint: string): string =>
  `android:apk-key-hash:${Buffer.from(fingerprint.replaceAll(':', ''), 'hex').toString('base64url')}`;
