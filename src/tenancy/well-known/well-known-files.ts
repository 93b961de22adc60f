import type { RelyingParty } from '../relying-party.js';
import type {
  AppleAppSiteFile,
  AssetLink,
  PasskeyEndpointsView,
  RelatedOriginsFile,
} from './well-known.answer.js';
import type { WellKnown } from './well-known.js';

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
export const fileOf = <Name extends FileName>({ wellKnown }: RelyingParty, name: Name) =>
  FILES[name](wellKnown) as ReturnType<(typeof FILES)[Name]>;

export const filesOf = (rp: Pick<RelyingParty, 'wellKnown'>): readonly FileName[] =>
  (Object.keys(FILES) as FileName[]).filter((name) => FILES[name](rp.wellKnown) !== undefined);
