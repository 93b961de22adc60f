import { MAX_CEREMONY_MS } from '../common/durations.js';
import {
  accountName,
  database,
  domain,
  listOrOff,
  onOff,
  oneWordOf,
  textOption,
  originsOption,
  text,
  textOrOff,
  url,
  wholeNumber,
  type OptionType,
} from './option-types.js';
import { REGISTRATION_MODES } from './registration-modes.js';
import {
  certificate,
  databasePlace,
  directory,
  listPlace,
  metadataPlace,
  phoneList,
  privateKey,
  trustedRoots,
  type StartCheck,
} from './start-checks.js';

/**
 * Every option: its type, default, meaning, and what the server checks before it starts. The name in camel case is
 * `--kebab-case` as a flag and in the config file, and `SERVICEFIDO_SNAKE_CASE` in the environment.
 */
export const OPTIONS = {
  host: [text('127.0.0.1'), 'address to listen on'],
  port: [wholeNumber(8080, 0, 65535), 'port to listen on; 0 takes any free one'],
  domain: [domain, 'relying party of requests that name none; created at start if missing'],
  origin: [originsOption, 'additional allowed origin of the --domain relying party (repeatable)'],
  session: [
    wholeNumber(60, 1, MAX_CEREMONY_MS / 1000),
    'maximum seconds between the begin and the result call',
  ],
  sessionConditional: [
    wholeNumber(600, 60, MAX_CEREMONY_MS / 1000),
    'maximum seconds for a sign-in that waits in the autofill list of a form',
  ],
  auth: [onOff(true), 'require authentication for the administration'],
  console: [
    oneWordOf('sessions', 'basic'),
    'how browsers sign in to the administration: sessions (a sign-in page) or basic (HTTP Basic)',
  ],
  consoleOidc: [
    textOption,
    'YAML or JSON file with the OpenID provider whose users may open the administration',
  ],
  consoleLocal: [
    oneWordOf('all', 'break-glass'),
    'local accounts that may sign in to the administration: all, or break-glass (those marked so)',
  ],
  authOffAnywhere: [onOff(false), 'allow --auth off on a host that is not loopback'],
  adminUser: [accountName('admin'), 'name of the first administrator'],
  adminPassword: [
    textOption,
    'password of the first administrator, or its hash from `./servicefido password hash`',
  ],
  accounts: [textOption, 'YAML or JSON file with further accounts; reloaded when it changes'],
  auditKeyFile: [
    textOption,
    'file with the secret that seals the audit trail; the same for all instances',
  ],
  secretKeyFile: [
    textOption,
    'file with the keys that seal (encrypt) the secrets in the database; the same for all instances',
  ],
  aaguid: [onOff(false), 'register only authenticator models on the AAGUID whitelist'],
  aaguidFile: [textOption, 'file with the initial AAGUIDs of the whitelist'],
  verify: [onOff(false), 'require user verification in both ceremonies'],
  attestation: [onOff(true), 'verify attestation statements'],
  conformance: [
    onOff(false),
    'only for the FIDO conformance tests: allow RS1, require trusted attestations',
  ],
  mds: [
    listOrOff('a file, a web address or upload'),
    'FIDO metadata (MDS3 BLOB): file, URL, upload (repeatable) or off',
    metadataPlace,
  ],
  mdsRoots: [
    textOption,
    'PEM file or directory with further root certificates for the metadata',
    trustedRoots,
  ],
  androidRevocations: [
    textOrOff('a file or a web address'),
    "Google's list of revoked Android attestation keys: file, URL or off",
    phoneList,
  ],
  crls: [
    listOrOff('fetch, a file or a directory'),
    'revocation lists of attestation certificates: fetch, file or directory (repeatable) or off',
    listPlace,
  ],
  jwt: [onOff(true), 'issue a token (JWT) after a successful sign-in'],
  jwtTtl: [wholeNumber(300, 1, 86400), 'lifetime of the token in seconds'],
  issuer: [url(undefined, 'https://', 'http://'), 'issuer of the token (claim iss), a URL'],
  oidc: [onOff(false), 'let applications sign their users in by OpenID Connect; needs --issuer'],
  entra: [onOff(false), 'let Entra ID use this server as External MFA; needs --issuer'],
  registration: [
    oneWordOf(...REGISTRATION_MODES),
    'who may begin a registration: open (anyone), first-only or ticket',
  ],
  listDomains: [onOff(true), 'list the known domains in the answer E0025R (no such relying party)'],
  db: [
    database,
    'database: sqlite:PATH or mysql://USER:PASSWORD@HOST/NAME; a SQLite file in --data if not set',
    databasePlace,
  ],
  dbWait: [
    wholeNumber(30, 0, 3600),
    'seconds to wait at start for a database or Redis that does not answer',
  ],
  sessions: [
    url('memory:', 'memory:', 'redis://', 'rediss://'),
    'store of pending ceremonies: memory: or redis://HOST:PORT',
  ],
  pendingMemory: [wholeNumber(128, 8, 65_536), 'maximum memory for pending ceremonies in MiB'],
  data: [text('./data'), 'directory of the SQLite file and the generated password', directory],
  trustProxy: [
    wholeNumber(0, 0, 10),
    'number of proxies in front whose X-Forwarded-* headers are trusted',
  ],
  tlsCert: [textOption, 'PEM file with the certificate for HTTPS; needs --tls-key', certificate],
  tlsKey: [textOption, 'PEM file with the private key of --tls-cert', privateKey],
  billing: [textOption, 'YAML file with prices; config/billing.yaml if not set'],
  eventRetention: [wholeNumber(400, 1, 36_500), 'days to keep events that invoices have counted'],
  eventClients: [
    onOff(true),
    'store the address and browser of the user with the events of ceremonies',
  ],
  scim: [onOff(false), 'let directories manage users by SCIM 2.0 below /scim/v2'],
  webhookPrivate: [onOff(false), 'allow webhooks to http:// and to private addresses'],
  metricsKey: [
    textOption,
    'bearer token for /metrics, at least 16 characters; anyone may read the metrics if not set',
  ],
  otlpEndpoint: [
    url(undefined, 'http://', 'https://'),
    'OpenTelemetry collector for traces (OTLP over HTTP); no traces if not set',
  ],
  workers: [
    wholeNumber(1, 1, 256),
    'number of processes; more than 1 needs Redis and MySQL or MariaDB',
  ],
  maxConnections: [
    wholeNumber(10_000, 10, 1_000_000),
    'maximum open connections; one address gets a tenth of them',
  ],
  rateAddress: [
    wholeNumber(600_000, 1, 1e9),
    'maximum begin and result calls, and requests to /oidc, per minute from one address',
  ],
  rateKeyClients: [
    wholeNumber(16, 1, 1e6),
    'limits of one application key, as a multiple of those of one address',
  ],
  rateUser: [
    wholeNumber(6_000, 1, 1e9),
    'maximum begin and result calls per minute for one user name from one address',
  ],
  rateCertificates: [
    wholeNumber(6_000, 10, 1e9),
    'maximum attestation certificates per minute from one address',
  ],
  logLevel: [
    oneWordOf('info', 'debug', 'warn', 'error', 'silent'),
    'least severe messages to log: debug, info, warn, error or silent (none)',
  ],
} as const satisfies Record<string, readonly [OptionType<unknown>, string, StartCheck?]>;

export type OptionValues = {
  readonly [Name in keyof typeof OPTIONS]: (typeof OPTIONS)[Name][0]['default'];
};

export type OptionName = keyof typeof OPTIONS;

/** An option's name as a flag and as a key of the config file: `jwtTtl` is `jwt-ttl`. */
export const flagName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
