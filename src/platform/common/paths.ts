/** What the paths of the server mean to the parts that need more than the route of a handler. */

/**
 * Paths that monitoring and browsers call many times a minute: probes, metrics and files of pages. They were 85 % of
 * the log and 71 % of the spans.
 */
const PROBES = /^\/(?:health|metrics|static|assets|sdk|fidoapi\/test(?:db)?)(?:\/|$)/;

export const isProbe = (path: string): boolean => PROBES.test(path);

const FOR_PROGRAMS = /^\/(?:fidoapi|tenantapi|health|metrics|\.well-known|wellknown)(?:\/|$)/i;

/** Whether a path is for programs only. All others answer with a page if `Accept` prefers one. */
export const isForPrograms = (path: string): boolean => FOR_PROGRAMS.test(path);

const ADMINISTRATION = /^\/(?:userapi|users)(?:\/|$)/i;

/**
 * Whether a path belongs to the administration, including unknown addresses: some of its paths answer with JSON and a
 * page, and each resolves the header of the relying party.
 */
export const isAdministration = (path: string): boolean => ADMINISTRATION.test(path);

/** The FIDO calls; each has two paths. */
const CALLS = new Map([
  ['/fidoapi/certify/attestation/options', 'registration-begin'],
  ['/fidoapi/register/begin', 'registration-begin'],
  ['/fidoapi/certify/attestation/result', 'registration-complete'],
  ['/fidoapi/register/complete', 'registration-complete'],
  ['/fidoapi/certify/assertion/options', 'authentication-begin'],
  ['/fidoapi/authenticate/begin', 'authentication-begin'],
  ['/fidoapi/certify/assertion/result', 'authentication-complete'],
  ['/fidoapi/authenticate/complete', 'authentication-complete'],
]);

/** All other paths are counted by their beginning, so that callers cannot create any number of labels. */
const AREAS = /^\/(fidoapi|userapi|tenantapi|users)(?:\/|$)/;

/** The label of a path in metrics. */
export const callLabel = (path: string): string =>
  CALLS.get(path) ?? AREAS.exec(path)?.[1] ?? 'other';

const CEREMONY = /\/fidoapi\/(?:certify\/)?(?:(attestation|register)|assertion|authenticate)\//i;

/**
 * The ceremony of a call, under either name of the call, also below the path of a page that completes a ceremony for a
 * further purpose; `undefined` for calls that are not part of one.
 */
export function ceremonyOfPath(path: string): 'registration' | 'authentication' | undefined {
  const found = CEREMONY.exec(path);
  if (!found) return undefined;
  return found[1] ? 'registration' : 'authentication';
}
