/**
 * Paths that monitoring and browsers call many times a minute: probes, metrics and files of pages. They were 85 % of
 * the log and 71 % of the spans.
 */
const PROBES = /^\/(?:health|metrics|static|assets|sdk|fidoapi\/test(?:db)?)(?:\/|$)/;

export const isProbe = (path: string): boolean => PROBES.test(path);
