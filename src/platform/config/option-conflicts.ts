import { isLoopback } from './base-address.js';
import { PROVIDER_SUFFIX } from './files/accounts-file.js';
import { isStatementDirectory } from './files/statement-files.js';
import type { ServerOptions } from './server-config.js';

/** The metrics key is typed only once, so it may be long; 16 random characters cannot be guessed. */
const MIN_METRICS_KEY = 16;

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
    '--tls-cert and --tls-key must be given together',
  );
  check(
    options.consoleOidc !== undefined && (options.console === 'basic' || !options.auth),
    '--console-oidc needs --console sessions and --auth on',
  );
  check(
    options.consoleOidc !== undefined && options.adminUser.endsWith(PROVIDER_SUFFIX),
    `--admin-user may not end with "${PROVIDER_SUFFIX}", as accounts of --console-oidc do`,
  );
  check(
    options.consoleLocal === 'break-glass' && options.consoleOidc === undefined,
    '--console-local break-glass needs --console-oidc',
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
  check(
    !options.conformance && options.mds.some(isStatementDirectory),
    '--mds takes a directory of metadata statements, which nobody signed, only with --conformance on',
  );
  for (const door of ['oidc', 'entra'] as const) {
    check(
      options[door] && !isPageAddress(options.issuer),
      `--${door} on needs --issuer: the address of this server for browsers, https://HOST without a path`,
    );
  }
  check(options.mdsRoots !== undefined && options.mds.length === 0, '--mds-roots needs --mds');
  return mistakes;
}

/** Whether an address is one of pages without a path; plain HTTP only on loopback. */
function isPageAddress(address = ''): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, pathname } = new URL(address);
  return pathname === '/' && (protocol === 'https:' || isLoopback(hostname));
}
