import { isOpenToOthers } from '../../platform/config/files/key-files.js';
import { PASSWORD_HASH } from '../../platform/config/files/accounts-file.js';
import { isLoopback, issuerOf } from '../../platform/config/base-address.js';
import type { ServerOptions } from '../../platform/config/server-config.js';
import { enforcedValue } from '../../tenancy/policy/policy.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { hasUnprovedModels } from '../../trust/whitelist/aaguid-list.js';
import { advisoryFinding, urgentFinding, type SetupFinding } from './setup-finding.js';

/** Shorter passwords can be guessed within a year at a few attempts a minute. */
const SHORT_PASSWORD = 10;

function passwordFinding(options: ServerOptions): SetupFinding | false {
  const { adminUser, adminPassword, isPasswordInFile = false } = options;
  if (adminPassword === undefined || PASSWORD_HASH.test(adminPassword)) return false;
  if (adminPassword.length >= SHORT_PASSWORD && adminPassword !== adminUser) {
    return !isPasswordInFile && advisoryFinding('readable-password');
  }
  return urgentFinding('short-password', { count: SHORT_PASSWORD });
}

export function optionFindings(options: ServerOptions): SetupFinding[] {
  const { host, tlsCert, trustProxy, jwt, issuer, conformance, db, sessions } = options;
  const { metricsKey, auditKeyFile, secretKeyFile } = options;
  const isPublic = !isLoopback(host);
  const isEncrypted = tlsCert !== undefined || trustProxy !== 0;
  const isLonely = sessions.startsWith('memory:') && !db.startsWith('sqlite:');
  return [
    isPublic && !isEncrypted && urgentFinding('no-encryption'),
    passwordFinding(options),
    isPublic &&
      jwt &&
      issuer === undefined &&
      urgentFinding('no-issuer', { issuer: issuerOf(options) }),
    conformance && urgentFinding('conformance'),
    isLonely && advisoryFinding('lonely-sessions'),
    isPublic && metricsKey === undefined && advisoryFinding('open-metrics'),
    auditKeyFile === undefined && advisoryFinding('unsealed-trail'),
    secretKeyFile === undefined && advisoryFinding('open-secrets'),
  ].filter((finding) => finding !== false);
}

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
    open && urgentFinding('open-registration'),
    !auth && urgentFinding('no-authentication'),
    hasUnprovedModels(options, relyingParties) && urgentFinding('unproved-models'),
  ].filter((finding) => finding !== false);
}
