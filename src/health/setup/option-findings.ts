import { isOpenToOthers } from '../../config/audit-key-file.js';
import { PASSWORD_HASH } from '../../config/accounts-file.js';
import { issuerOf } from '../../config/base-address.js';
import { isLoopback } from '../../config/server-options.js';
import type { ServerOptions } from '../../config/server-options.js';
import type { SetupFinding } from './setup-finding.js';

/** What an option, or several together, make of the server; nothing where they are well. */
type Look = (options: ServerOptions) => SetupFinding | undefined;

/** Fewer can be guessed by whoever may try a few a minute for a year. */
const SHORT_PASSWORD = 10;

const noEncryption: Look = ({ host, tlsCert, trustProxy }) =>
  isLoopback(host) || tlsCert !== undefined || trustProxy > 0
    ? undefined
    : {
        title: 'Nothing is encrypted.',
        text: 'Browsers reach this server without HTTPS: passwords and tokens can be read on the way, and no session is given.',
        mend: 'Give --tls-cert and --tls-key; or let a proxy with HTTPS stand in front, and say --trust-proxy 1.',
        urgent: true,
      };

const weakPassword: Look = ({ adminUser, adminPassword }) => {
  if (adminPassword === undefined || PASSWORD_HASH.test(adminPassword)) return undefined;
  if (adminPassword.length >= SHORT_PASSWORD && adminPassword !== adminUser) {
    return {
      title: 'The password of the first administrator can be read in the configuration.',
      text: 'Whoever may see how the server is started knows it.',
      mend: 'Give what "servicefido password hash" prints of it as --admin-password.',
      urgent: false,
    };
  }
  return {
    title: 'The password of the first administrator is easily guessed.',
    text: `It is the name of the account, or has fewer than ${SHORT_PASSWORD} characters.`,
    mend: 'Choose another one, and give what "servicefido password hash" prints of it as --admin-password.',
    urgent: true,
  };
};

const noIssuer: Look = (options) =>
  options.jwt && options.issuer === undefined && !isLoopback(options.host)
    ? {
        title: 'Tokens do not say who issued them.',
        text: `Without --issuer they name ${issuerOf(options)}.`,
        mend: 'Give as --issuer the address at which your web apps reach this service.',
        urgent: true,
      }
    : undefined;

const conformance: Look = (options) =>
  options.conformance
    ? {
        title: 'The server does what conformance tests expect.',
        text: 'It takes keys with SHA-1, and no attestation that metadata does not know.',
        mend: 'Start it without --conformance where people sign in.',
        urgent: true,
      }
    : undefined;

const lonelySessions: Look = ({ db, sessions }) =>
  sessions.startsWith('memory:') && !db.startsWith('sqlite:')
    ? {
        title: 'Ceremonies under way are in the memory of this instance.',
        text: 'A second instance over the same database refuses what began at this one.',
        mend: 'Where there are several, give them --sessions redis://…',
        urgent: false,
      }
    : undefined;

const openMetrics: Look = ({ host, metricsKey }) =>
  metricsKey === undefined && !isLoopback(host)
    ? {
        title: 'Everybody may read /metrics.',
        text: 'It tells how many sign in, and nothing of anybody.',
        mend: 'Give --metrics-key, or let no proxy lead there.',
        urgent: false,
      }
    : undefined;

const unsealedTrail: Look = ({ auditKeyFile }) =>
  auditKeyFile === undefined
    ? {
        title: 'The audit trail is not sealed.',
        text: 'Whoever can write to the database could write it anew, and nothing would show.',
        mend: 'Give --audit-key-file.',
        urgent: false,
      }
    : undefined;

const openSecrets: Look = ({ secretKeyFile }) =>
  secretKeyFile === undefined
    ? {
        title: 'Secrets lie open in the database.',
        text: 'Whoever reads a copy of it can sign tokens and cookies.',
        mend: 'Give --secret-key-file.',
        urgent: false,
      }
    : undefined;

const LOOKS: readonly Look[] = [
  noEncryption,
  weakPassword,
  noIssuer,
  conformance,
  lonelySessions,
  openMetrics,
  unsealedTrail,
  openSecrets,
];

/** What the options alone tell. */
export const optionFindings = (options: ServerOptions): SetupFinding[] =>
  LOOKS.flatMap((look) => look(options) ?? []);

/** Files of keys that other users of the machine may read. */
export function fileFindings(options: ServerOptions): SetupFinding[] {
  const files = {
    '--audit-key-file': options.auditKeyFile,
    '--secret-key-file': options.secretKeyFile,
    '--tls-key': options.tlsKey,
  };
  return Object.entries(files).flatMap(([option, file]) =>
    file !== undefined && mayOthersRead(file) ? [readable(option, file)] : [],
  );
}

const readable = (option: string, file: string): SetupFinding => ({
  title: `Others may read the file of ${option}.`,
  text: `It is ${file}, and should be its owner’s alone.`,
  mend: 'Do chmod 600 with it.',
  urgent: true,
});

/** One that is gone since the start cannot be read by anybody. */
function mayOthersRead(file: string): boolean {
  try {
    return isOpenToOthers(file);
  } catch {
    return false;
  }
}
