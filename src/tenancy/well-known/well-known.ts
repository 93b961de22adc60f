import type {
  AppleAppSiteFile,
  AppsView,
  AssetLink,
  PasskeyEndpointsView,
  RelatedOriginsFile,
} from './well-known.answer.js';

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

/** Fills in the members that are not set. */
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

export interface OriginLists {
  /** The stored list alone. */
  readonly origins: readonly string[];
  readonly wellKnown: WellKnown;
}

/**
 * Returns all origins whose ceremonies are accepted: the listed ones, the related ones, and those of Android
 * apps. (Apps of Apple's systems use the web origin of the domain.)
 */
export function allowedOrigins({
  origins,
  wellKnown: { relatedOrigins, apps },
}: OriginLists): readonly string[] {
  const ofApps = (apps.android ?? []).flatMap(({ fingerprints }) => fingerprints.map(originOfApp));
  return [...new Set([...origins, ...relatedOrigins, ...ofApps])];
}

/** The origin of an app, as Android's credential manager writes it into the client data. */
const originOfApp = (fingerprint: string): string =>
  `android:apk-key-hash:${Buffer.from(fingerprint.replaceAll(':', ''), 'hex').toString('base64url')}`;

/** Creates the content of a file; `undefined` if the relying party has none. */
type Write<File> = (wellKnown: WellKnown) => File | undefined;

const RELATIONS = [
  'delegate_permission/common.handle_all_urls',
  'delegate_permission/common.get_login_creds',
];

/** WebAuthn L3 §5.11: other origins whose pages may use the keys of this domain. */
const webauthn: Write<RelatedOriginsFile> = ({ relatedOrigins }) =>
  relatedOrigins.length === 0 ? undefined : { origins: relatedOrigins };

/** Digital Asset Links: Android apps that may open the domain's addresses and use its keys. */
const assetLinks: Write<readonly AssetLink[]> = ({ apps: { android = [] } }) =>
  android.length === 0
    ? undefined
    : android.map(({ package: name, fingerprints }) => ({
        relation: RELATIONS,
        target: {
          namespace: 'android_app',
          package_name: name,
          sha256_cert_fingerprints: fingerprints.map((fingerprint) => fingerprint.toUpperCase()),
        },
      }));

/** Apple's associated domains: apps that may use the keys and passwords of the domain. */
const appleAppSite: Write<AppleAppSiteFile> = ({ apps: { apple = [] } }) =>
  apple.length === 0 ? undefined : { webcredentials: { apps: apple } };

/** W3C "A Well-Known URL for Relying Party Passkey Endpoints". */
const passkeyEndpoints: Write<PasskeyEndpointsView> = ({ passkeyEndpoints: endpoints }) =>
  Object.keys(endpoints).length === 0 ? undefined : endpoints;

const FILES = {
  webauthn,
  'assetlinks.json': assetLinks,
  'apple-app-site-association': appleAppSite,
  'passkey-endpoints': passkeyEndpoints,
} as const;

export type FileName = keyof typeof FILES;

export const isFileName = (name: string): name is FileName => Object.hasOwn(FILES, name);

/** Returns one of a relying party's published files; `undefined` if it publishes none. */
export const fileOf = <Name extends FileName>(wellKnown: WellKnown, name: Name) =>
  FILES[name](wellKnown) as ReturnType<(typeof FILES)[Name]>;

export const filesOf = (wellKnown: WellKnown): readonly FileName[] =>
  (Object.keys(FILES) as FileName[]).filter((name) => FILES[name](wellKnown) !== undefined);
