import type { X509Certificate } from 'node:crypto';
import { gauge, measuredGauge } from '../../platform/telemetry/metrics.js';
import type { SetupFinding } from './setup-finding.js';

/** Without the names of the problems, since anyone may read the metrics unless `--metrics-key` is set. */
const PROBLEMS = gauge({
  name: 'servicefido_configuration_problems',
  help: 'Configuration problems that /status lists, by urgency',
  labelNames: ['urgent'],
  aggregator: 'max',
});
const BACKUP = measuredGauge({
  name: 'servicefido_last_backup_timestamp_seconds',
  help: 'When the last backup of SQLite was made, 0 for never',
  aggregator: 'max',
});
const CERTIFICATE = measuredGauge({
  name: 'servicefido_certificate_expiry_timestamp_seconds',
  help: 'When the certificate of --tls-cert expires',
  aggregator: 'max',
});
const KEY_FINDINGS = measuredGauge({
  name: 'servicefido_key_findings',
  help: 'Stored keys that break an enforced rule or were reported, of all tenants; counts up to 1,000',
  aggregator: 'max',
});

export function showProblems(problems: readonly SetupFinding[]): void {
  const urgent = problems.filter((problem) => problem.urgent).length;
  PROBLEMS.set({ urgent: 'yes' }, urgent);
  PROBLEMS.set({ urgent: 'no' }, problems.length - urgent);
}

/** @param at in milliseconds since 1970; `undefined` for never, `null` if other programs make backups */
export function showBackup(at: number | undefined | null): void {
  if (at === null) BACKUP.remove();
  else BACKUP.set((at ?? 0) / 1000);
}

/** @param certificate of --tls-cert; `undefined` without it */
export function showCertificate(certificate: X509Certificate | undefined): void {
  if (certificate === undefined) CERTIFICATE.remove();
  else CERTIFICATE.set(certificate.validToDate.getTime() / 1000);
}

/** @param keys how many keys break an enforced rule */
export function showKeyFindings(keys: number): void {
  KEY_FINDINGS.set(keys);
}
