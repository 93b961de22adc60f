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
import {
  certificate,
  databasePlace,
  directory,
  listOfModels,
  listPlace,
  metadataPlace,
  phoneList,
  privateKey,
  trustedRoots,
  type StartCheck,
} from './start-checks.js';

/** Who may begin a registration, from lenient to strict. */
export const REGISTRATION_MODES = ['open', 'first-only', 'ticket'] as const;

/** The longest time, in ms, that an option allows between a begin call and its result call. */
export const MAX_CEREMONY_MS = 3_600_000;

/**
 * Every option: its type, default, meaning, and what the server checks before it starts. The name in camel case is
 * `--kebab-case` as a flag and in the config file, and `SERVICEFIDO_SNAKE_CASE` in the environment.
 */
export const OPTIONS = {
  host: [text('127.0.0.1'), 'address to listen on'],
  port: [wholeNumber(8080, 0, 65535), 'port to listen on; 0 takes a free one'],
  domain: [domain, 'relying party used when no header names one; created at start when missing'],
  origin: [originsOption, 'further allowed origin of the --domain relying party (repeatable)'],
  session: [
    wholeNumber(60, 1, MAX_CEREMONY_MS / 1000),
    'seconds between the begin and the result call',
  ],
  sessionConditional: [
    wholeNumber(600, 60, MAX_CEREMONY_MS / 1000),
    "seconds that a sign-in waits in a form's autofill list",
  ],
  auth: [onOff(true), 'HTTP Basic on the administration'],
  console: [
    oneWordOf('sessions', 'basic'),
    'how browsers sign in to the administration: by a page with sessions, or by HTTP Basic',
  ],
  authOffAnywhere: [onOff(false), 'let --auth off start on a host that is not loopback'],
  adminUser: [accountName('admin'), 'name of the first administrator'],
  adminPassword: [
    textOption,
    'password of the first administrator, or what `servicefido password hash` prints of it',
  ],
  accounts: [textOption, 'YAML or JSON file of further accounts; read again when it changes'],
  auditKeyFile: [
    textOption,
    'file of the secret that seals the audit trail; the same for all instances',
  ],
  secretKeyFile: [
    textOption,
    'file of keys that seal the secrets in the database; the same for all instances',
  ],
  aaguid: [onOff(false), 'AAGUID whitelist'],
  aaguidFile: [textOption, 'file of AAGUIDs that the whitelist begins with', listOfModels],
  verify: [onOff(false), 'force user verification in both ceremonies'],
  attestation: [onOff(true), 'verify attestation statements'],
  conformance: [
    onOff(false),
    'do what the conformance tests of FIDO expect: RS1, trust by metadata',
  ],
  mds: [
    listOrOff,
    'FIDO metadata (MDS3 BLOB): file, URL, upload (repeatable) or off',
    metadataPlace,
  ],
  mdsRoots: [
    textOption,
    'PEM file or directory: further roots that may sign the metadata',
    trustedRoots,
  ],
  androidRevocations: [
    textOrOff,
    "Google's list of revoked keys of phones: file, URL or off",
    phoneList,
  ],
  crls: [
    listOrOff,
    'revocation lists of attestation certificates: fetch, file or directory (repeatable) or off',
    listPlace,
  ],
  jwt: [onOff(true), 'token after a successful assertion'],
  jwtTtl: [wholeNumber(300, 1, 86400), 'life of the token in seconds'],
  issuer: [url(undefined, 'https://', 'http://'), 'issuer of the token'],
  registration: [oneWordOf(...REGISTRATION_MODES), 'who may begin a registration'],
  listDomains: [onOff(true), 'list the known domains in E0025R'],
  db: [database, 'database URL', databasePlace],
  dbWait: [
    wholeNumber(30, 0, 3600),
    'seconds to wait at start for a database or Redis that does not answer',
  ],
  sessions: [url('memory:', 'memory:', 'redis://', 'rediss://'), 'store of pending ceremonies'],
  pendingMemory: [wholeNumber(128, 8, 65_536), 'MiB that pending ceremonies may take'],
  data: [text('./data'), 'directory of the SQLite file and the generated password', directory],
  trustProxy: [wholeNumber(0, 0, 10), 'hops whose X-Forwarded-* headers are believed'],
  tlsCert: [textOption, 'PEM file of the certificate, to serve HTTPS', certificate],
  tlsKey: [textOption, 'PEM file of its private key', privateKey],
  billing: [textOption, 'YAML file of prices; config/billing.yaml when absent'],
  eventRetention: [wholeNumber(400, 1, 36_500), 'days after which counted events are deleted'],
  eventClients: [onOff(true), 'keep the address and the browser of ceremonies with their events'],
  webhookPrivate: [onOff(false), 'let webhooks call http and addresses that are not public'],
  metricsKey: [textOption, 'what /metrics asks for as a bearer token; open to all without it'],
  otlpEndpoint: [
    url(undefined, 'http://', 'https://'),
    'address of an OpenTelemetry collector (OTLP over HTTP) for traces; none without it',
  ],
  workers: [wholeNumber(1, 1, 256), 'processes; more than 1 needs Redis and MySQL or MariaDB'],
  maxConnections: [
    wholeNumber(10_000, 10, 1_000_000),
    'open connections; a tenth of them from one address',
  ],
  rateAddress: [wholeNumber(600_000, 1, 1e9), 'begin and result calls a minute from one address'],
  rateKeyClients: [
    wholeNumber(16, 1, 1e6),
    'clients at their limit for whom one application key may call',
  ],
  rateUser: [
    wholeNumber(6_000, 1, 1e9),
    'begin and result calls a minute for one user name from one address',
  ],
  rateCertificates: [
    wholeNumber(6_000, 10, 1e9),
    'certificates of attestations a minute from one address',
  ],
  logLevel: [oneWordOf('info', 'debug', 'warn', 'error', 'silent'), 'how much is logged'],
} as const satisfies Record<string, readonly [OptionType<unknown>, string, StartCheck?]>;

export type OptionValues = {
  readonly [Name in keyof typeof OPTIONS]: (typeof OPTIONS)[Name][0]['default'];
};

/** The options of one process: typed, checked, frozen. */
export type ServerOptions = Omit<OptionValues, 'db'> & { readonly db: string };
export type RegistrationMode = (typeof REGISTRATION_MODES)[number];
export type OptionName = keyof typeof OPTIONS;

/** An option's name as a flag and as a key of the config file: `jwtTtl` is `jwt-ttl`. */
export const flagName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The metrics key is typed only once, so it may be long; 16 random characters cannot be guessed. */
const MIN_METRICS_KEY = 16;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/;
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

/** Combinations of options with which the server must not start, a sentence for each. */
export function conflictsOf(options: ServerOptions): string[] {
  const mistakes: string[] = [];
  const check = (fault: boolean, sentence: string) => fault && mistakes.push(sentence);
  check(
    !options.auth && !isLoopback(options.host) && !options.authOffAnywhere,
    `--auth off needs a loopback --host (or --auth-off-anywhere), not ${options.host}`,
  );
  check(
    options.workers > 1 && options.sessions.startsWith('memory:'),
    '--workers above 1 needs --sessions redis://…',
  );
  check(
    options.workers > 1 && options.db.startsWith('sqlite:'),
    '--workers above 1 needs --db mysql://…',
  );
  check(
    (options.tlsCert === undefined) !== (options.tlsKey === undefined),
    '--tls-cert and --tls-key go together',
  );
  check(
    options.metricsKey !== undefined && options.metricsKey.length < MIN_METRICS_KEY,
    `--metrics-key needs at least ${MIN_METRICS_KEY} characters`,
  );
  check(options.origin.length > 0 && !options.domain, '--origin needs --domain');
  check(
    options.registration === 'first-only' && !options.jwt,
    '--registration first-only needs --jwt on: it asks for the token of a sign-in',
  );
  check(options.aaguidFile !== undefined && !options.aaguid, '--aaguid-file needs --aaguid on');
  check(options.mdsRoots !== undefined && options.mds.length === 0, '--mds-roots needs --mds');
  return mistakes;
}
