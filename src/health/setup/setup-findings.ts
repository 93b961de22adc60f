import cluster from 'node:cluster';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AuditSealing } from '../../audit/chain/audit-sealing.js';
import { Clock } from '../../platform/common/clock.js';
import { DAY_MS, HOUR_MS } from '../../platform/common/durations.js';
import { RecurringJob } from '../../platform/common/recurring-job.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import { BreakGlass } from '../../platform/access/accounts/break-glass.js';
import { Accounts } from '../../platform/access/accounts/accounts.js';
import { RESERVED_NAMES } from '../../platform/config/files/accounts-file.js';
import {
  readConsoleOidc,
  type GroupAccess,
} from '../../platform/config/files/console-oidc-file.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { Database } from '../../platform/database/database.js';
import { serverFacts } from '../../platform/database/server-facts.js';
import { lastBackup, SharedRecords } from '../../platform/database/shared-records.js';
import { OPERATOR_ACCOUNT } from '../../platform/access/accounts/account.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { KeyFindings } from '../../trust/findings/key-findings.js';
import { MetadataReport } from '../../trust/metadata/metadata-report.js';
import { WebhookRows } from '../../webhooks/webhook-rows.js';
import { openFindings, fileFindings, optionFindings } from './option-findings.js';
import { ProxyFaults } from './proxy-faults.js';
import { titleOf, urgentFinding, type SetupFinding } from './setup-finding.js';
import { showBackup, showCertificate, showKeyFindings, showProblems } from './setup-metrics.js';
import * as state from './state-findings.js';

/** How long the sign-in of an account for emergencies is shown. */
const BREAK_GLASS_MS = 30 * DAY_MS;

/** Findings about the database: its clock, its audit trail, its last backup, and the accounts' names and tenants. */
@Injectable()
export class DatabaseFindings {
  @Inject() private readonly tenancy!: TenancyService;
  @Inject(serverOptions.KEY) private readonly options!: ServerOptions;
  /** As they were at the start, which looks for findings too. */
  private groups: readonly GroupAccess[] | undefined;

  constructor(
    private readonly database: Database,
    private readonly records: SharedRecords,
    private readonly clock: Clock,
    private readonly sealing: AuditSealing,
    private readonly accounts: Accounts,
    private readonly breakGlass: BreakGlass,
  ) {}

  /** @throws the driver's error if the database does not answer */
  async all(): Promise<SetupFinding[]> {
    const now = this.clock.now();
    const [facts, backup, unsealed, emergencies, lacksEmergency, tenants, named] =
      await Promise.all([
        serverFacts(this.database),
        this.lastBackup(),
        this.sealing.isUnsealed(),
        this.breakGlass.signedInSince(now - BREAK_GLASS_MS),
        this.breakGlass.isMissing(),
        this.tenancy.listTenants(),
        Promise.all(RESERVED_NAMES.map((name) => this.accounts.known(name))),
      ]);
    const reserved = named.flatMap((known) => known?.account.name ?? []);
    return [
      ...state.breakGlassFindings(emergencies, lacksEmergency),
      ...(unsealed ? [urgentFinding('no-seal')] : []),
      ...state.accountFindings(reserved),
      ...state.tenantFindings(
        this.configuredTenants(),
        tenants.map(({ name }) => name),
      ),
      ...state.clockFindings(now, facts.now),
      ...state.backupFindings(now, backup),
    ];
  }

  /** The tenants to which accounts of `--accounts` and groups of `--console-oidc` are limited. */
  private configuredTenants(): ReadonlyMap<string, readonly string[]> {
    this.groups ??= readConsoleOidc(this.options)?.groups ?? [];
    return new Map([
      ...this.accounts.configuredTenants,
      ...this.groups.map(({ group, tenants = [] }) => [group, tenants] as const),
    ]);
  }

  /**
   * The time of the last backup, in milliseconds since 1970; `undefined` if there is none, `null` if other
   * programs make them.
   */
  async lastBackup(): Promise<number | undefined | null> {
    return this.database.kind === 'sqlite' ? lastBackup(this.records) : null;
  }
}

/** The list of findings about the server's setup, shown at the start, in the log and on /status. */
@Injectable()
export class SetupFindings {
  private certificate: X509Certificate | undefined;

  constructor(
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    private readonly relyingParties: RelyingPartyCache,
    private readonly metadata: MetadataReport,
    private readonly webhooks: WebhookRows,
    readonly database: DatabaseFindings,
    private readonly keyFindings: KeyFindings,
    private readonly proxy: ProxyFaults,
  ) {}

  /** Findings that any caller of the server can discover anyway. */
  ofEverybody(): SetupFinding[] {
    return openFindings(this.options, this.relyingParties.current.all);
  }

  /** Findings on which the administrators of these relying parties can act. */
  ofRelyingParties(rps: readonly RelyingParty[]): SetupFinding[] {
    return [
      ...openFindings(this.options, rps),
      ...state.partyFindings(rps),
      ...state.audienceFindings(rps),
    ];
  }

  /** Findings about the options, key files and relying parties. */
  private ofSetting(): SetupFinding[] {
    const { all: relyingParties } = this.relyingParties.current;
    return [
      ...this.ofRelyingParties(relyingParties),
      ...optionFindings(this.options),
      ...fileFindings(this.options),
      ...state.certificateFindings(Date.now(), this.certificateOfStart()),
      ...state.domainListFindings(this.options, relyingParties),
      ...state.forwardedHostFindings(this.options, relyingParties),
    ];
  }

  /**
   * The certificate as the server read it at its start: a renewed file counts only after a restart. A command of the
   * command line asks for no findings, and may run as a user who cannot read the file.
   */
  private certificateOfStart(): X509Certificate | undefined {
    const { tlsCert } = this.options;
    if (tlsCert === undefined) return undefined;
    this.certificate ??= new X509Certificate(readFileSync(tlsCert));
    return this.certificate;
  }

  /** All findings, urgent ones first; without those of a database that cannot be reached. */
  async all(): Promise<SetupFinding[]> {
    const fromDatabase = await Promise.all([
      this.webhooks
        .list(OPERATOR_ACCOUNT)
        .then(state.webhookFindings)
        .catch(() => []),
      this.database.all().catch(() => []),
    ]);
    const found = [
      ...this.proxy.findings(),
      ...this.ofSetting(),
      ...this.ofMetadata(),
      ...fromDatabase.flat(),
    ];
    return found.sort((a, b) => Number(b.urgent) - Number(a.urgent));
  }

  /**
   * Sets the metrics of these findings, the backup, the certificate and the keys with findings.
   *
   * @throws the driver's error if the database does not answer
   */
  async measure(problems: readonly SetupFinding[]): Promise<void> {
    showProblems(problems);
    showCertificate(this.certificateOfStart());
    showBackup(await this.database.lastBackup());
    showKeyFindings(await this.keyFindings.countSome());
  }

  private ofMetadata(): SetupFinding[] {
    return [
      ...state.metadataFindings(this.metadata.summary()),
      ...state.sourceFindings(this.metadata.sources()),
      ...state.revocationFindings(this.metadata.revocations.phones.summary()),
      ...state.listFindings(this.metadata.revocations.summary()),
    ];
  }
}

/** Logs findings about the server's setup: all of them at the start, and later new ones. Sets their metrics. */
@Injectable()
export class SetupLog extends RecurringJob {
  private logged: ReadonlySet<string> = new Set();

  constructor(private readonly findings: SetupFindings) {
    super({ everyMs: HOUR_MS, retryMessage: 'The setup is looked at again in an hour' });
  }

  /** Starts the log of a server; commands have none. Of several workers only the first one logs. */
  async log(): Promise<void> {
    await this.runNow();
    this.start();
  }

  protected override async work(): Promise<void> {
    const found = await this.findings.all();
    if (isFirstWorker()) this.write(found);
    await this.findings.measure(found);
  }

  private write(found: readonly SetupFinding[]): void {
    for (const finding of found) if (!this.logged.has(titleOf(finding))) write(finding);
    this.logged = new Set(found.map(titleOf));
  }
}

const isFirstWorker = (): boolean => cluster.worker === undefined || cluster.worker.id === 1;

function write({ title, text, mend, urgent }: SetupFinding): void {
  const line = [title, text, mend].map((sentence) => plainText('en', sentence)).join(' ');
  if (urgent) Logger.warn(line, 'Setup');
  else Logger.log(line, 'Setup');
}
