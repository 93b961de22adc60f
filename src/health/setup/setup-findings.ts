import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { codeOfDriverError } from '../../platform/errors/driver-errors.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { MetadataReport } from '../../trust/metadata/metadata-report.js';
import { AccountFindings } from './account-findings.js';
import { DatabaseFindings } from './database-findings.js';
import { openFindings, fileFindings, optionFindings } from './option-findings.js';
import { ProxyFaults } from './proxy-faults.js';
import type { SetupFinding } from './setup-finding.js';
import * as state from './state-findings.js';

/** The list of findings about the server's setup, shown at the start, in the log and on /status. */
@Injectable()
export class SetupFindings {
  private certificate: X509Certificate | undefined;

  constructor(
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    private readonly relyingParties: RelyingPartyCache,
    private readonly metadata: MetadataReport,
    private readonly accountFindings: AccountFindings,
    private readonly databaseFindings: DatabaseFindings,
    private readonly proxy: ProxyFaults,
    private readonly clock: Clock,
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
      ...state.certificateFindings(this.clock.now(), this.certificateOfStart()),
      ...state.domainListFindings(this.options, relyingParties),
      ...state.forwardedHostFindings(this.options, relyingParties),
    ];
  }

  /**
   * The certificate as the server read it at its start: a renewed file counts only after a restart. A command of the
   * command line asks for no findings, and may run as a user who cannot read the file.
   */
  certificateOfStart(): X509Certificate | undefined {
    const { tlsCert } = this.options;
    if (tlsCert === undefined) return undefined;
    this.certificate ??= new X509Certificate(readFileSync(tlsCert));
    return this.certificate;
  }

  /** All findings, urgent ones first; without those of a database that cannot be reached. */
  async all(): Promise<SetupFinding[]> {
    const found = [
      ...this.proxy.findings(),
      ...this.ofSetting(),
      ...this.ofMetadata(),
      ...(await this.ofDatabase()),
    ];
    return found.sort((a, b) => Number(b.urgent) - Number(a.urgent));
  }

  private async ofDatabase(): Promise<SetupFinding[]> {
    try {
      return (await Promise.all([this.accountFindings.all(), this.databaseFindings.all()])).flat();
    } catch (error) {
      if (codeOfDriverError(error) === undefined) throw error;
      return [];
    }
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
