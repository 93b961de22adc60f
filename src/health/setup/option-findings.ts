import { isOpenToOthers } from '../../platform/config/files/key-files.js';
import { PASSWORD_HASH } from '../../platform/config/files/accounts-file.js';
import { isLoopback, issuerOf } from '../../platform/config/base-address.js';
import type { ServerOptions } from '../../platform/config/server-config.js';
import { enforcedValue } from '../../tenancy/policy/policy.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { hasUnprovedModels } from '../../trust/whitelist/aaguid-list.js';
import { advisoryFinding, urgentFinding, type SetupFinding } from './setup-finding.js';

/** Checks one option or several together; `false` if there is no finding. */
type OptionCheck = (options: ServerOptions) => SetupFinding | false;

/** Shorter passwords can be guessed within a year at a few attempts a minute. */
const SHORT_PASSWORD = 10;

const weakPassword: OptionCheck = ({ adminUser, adminPassword }) => {
  if (adminPassword === undefined || PASSWORD_HASH.test(adminPassword)) return false;
  if (adminPassword.length >= SHORT_PASSWORD && adminPassword !== adminUser) {
    return advisoryFinding('readable-password');
  }
  return urgentFinding('short-password', { count: SHORT_PASSWORD });
};

const OPTION_CHECKS: readonly OptionCheck[] = [
  ({ host, tlsCert, trustProxy }) =>
    !isLoopback(host) &&
    tlsCert === undefined &&
    trustProxy === 0 &&
    urgentFinding('no-encryption'),
  weakPassword,
  (options) =>
    options.jwt &&
    options.issuer === undefined &&
    !isLoopback(options.host) &&
    urgentFinding('no-issuer', { issuer: issuerOf(options) }),
  (options) => options.conformance && urgentFinding('conformance'),
  ({ db, sessions }) =>
    sessions.startsWith('memory:') &&
    !db.startsWith('sqlite:') &&
    advisoryFinding('lonely-sessions'),
  ({ host, metricsKey }) =>
    metricsKey === undefined && !isLoopback(host) && advisoryFinding('open-metrics'),
  ({ auditKeyFile }) => auditKeyFile === undefined && advisoryFinding('unsealed-trail'),
  ({ secretKeyFile }) => secretKeyFile === undefined && advisoryFinding('open-secrets'),
];

export const optionFindings = (options: ServerOptions): SetupFinding[] =>
  OPTION_CHECKS.flatMap((check) => check(options) || []);

/** Findings about key files that other users of the machine may read. */
export function fileFindings(options: ServerOptions): SetupFinding[] {
  const files = {
    '--audit-key-file': options.auditKeyFile,
    '--secret-key-file': options.secretKeyFile,
    '--tls-key': options.tlsKey,
  };
  return Object.entries(files).flatMap(([option, file]) =>
    file !== undefined && mayOthersRead(file)
      ? [urgentFinding('readable-file', { option, file })]
      : [],
  );
}

/** A file that was deleted after the start is unreadable for others. */
function mayOthersRead(file: string): boolean {
  try {
    return isOpenToOthers(file);
  } catch {
    return false;
  }
}

const OPEN_REGISTRATION = urgentFinding('open-registration');
const NO_AUTHENTICATION = urgentFinding('no-authentication');
const UNPROVED_MODELS = urgentFinding('unproved-models');

/** Findings that any caller of the server can discover anyway, so that pages may show them publicly. */
export function openFindings(
  options: Pick<ServerOptions, 'auth' | 'registration' | 'aaguid' | 'mds'>,
  relyingParties: readonly Pick<RelyingParty, 'policy'>[],
): SetupFinding[] {
  const { auth, registration } = options;
  const open =
    registration === 'open' &&
    relyingParties.some(
      ({ policy: { callers, registration: rule } }) =>
        callers !== 'keys' && (enforcedValue(rule) ?? 'open') === 'open',
    );
  return [
    ...(open ? [OPEN_REGISTRATION] : []),
    ...(auth ? [] : [NO_AUTHENTICATION]),
    ...(hasUnprovedModels(options, relyingParties) ? [UNPROVED_MODELS] : []),
  ];
}
