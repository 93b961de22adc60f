import type { X509Certificate } from 'node:crypto';
import { gauge } from '../../platform/telemetry/metrics.js';
import type { SetupFinding } from './setup-finding.js';

/** Without the names of the problems, since anyone may read the metrics unless `--metrics-key` is set. */
const PROBLEMS = gauge({
  name: 'servicefido_configuration_problems',
  help: 'Configuration problems that /status lists, by urgency',
  labelNames: ['urgent'],
  aggregator: 'max',
});
const BACKUP = gauge({
  name: 'servicefido_last_backup_timestamp_seconds',
  help: 'When the last backup of SQLite was made, 0 for never',
  aggregator: 'max',
});
const CERTIFICATE = gauge({
  name: 'servicefido_certificate_expiry_timestamp_seconds',
  help: 'When the certificate of --tls-cert expires',
  aggregator: 'max',
});
const KEY_FINDINGS = gauge({
  name: 'servicefido_key_findings',
  help: 'Stored keys that break a rule, of all tenants; at most 1,000 are counted',
  aggregator: 'max',
});

export interface SetupState {
  readonly problems: readonly SetupFinding[];
  /** In milliseconds since 1970; `undefined` for never, `null` if other programs make backups. */
  readonly backup: number | undefined | null;
  readonly certificate: X509Certificate | undefined;
  readonly keyFindings: number;
}

/** Sets the metrics of what changes slowly. One that does not apply has no value. */
export function showSetup({ problems, backup, certificate, keyFindings }: SetupState): void {
  const urgent = problems.filter((problem) => problem.urgent).length;
  PROBLEMS.set({ urgent: 'yes' }, urgent);
  PROBLEMS.set({ urgent: 'no' }, problems.length - urgent);
  if (backup === null) BACKUP.remove();
  else BACKUP.set((backup ?? 0) / 1000);
  if (certificate === undefined) CERTIFICATE.remove();
  else CERTIFICATE.set(certificate.validToDate.getTime() / 1000);
  KEY_FINDINGS.set(keyFindings);
}
