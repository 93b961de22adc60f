import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { OPERATOR } from '../../platform/access/accounts/account.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { MetadataReport } from '../../trust/metadata/metadata-report.js';
import { WebhookRows } from '../../webhooks/webhook-rows.js';
import { DatabaseFindings } from './database-findings.js';
import { openFindings, fileFindings, optionFindings } from './option-findings.js';
import type { SetupFinding } from './setup-finding.js';
import * as state from './state-findings.js';

/** The list of findings about the server's setup, shown at the start, in the log and on /status. */
@Injectable()
export class SetupFindings {
  private certificate: X509Certificate | undefined;

  constructor(
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    private readonly directory: RelyingPartyCache,
    private readonly metadata: MetadataReport,
    private readonly webhooks: WebhookRows,
    private readonly database: DatabaseFindings,
  ) {}

  /** Findings that any caller of the server can discover anyway. */
  ofEverybody(): SetupFinding[] {
    return openFindings(this.options, this.directory.current.relyingParties);
  }

  /** Findings on which the administrators of these relying parties can act. */
  ofRelyingParties(rps: readonly RelyingParty[]): SetupFinding[] {
    return [...openFindings(this.options, rps), ...state.partyFindings(rps)];
  }

  /** Findings about the options, key files and relying parties. */
  private ofSetting(): SetupFinding[] {
    return [
      ...this.ofEverybody(),
      ...optionFindings(this.options),
      ...fileFindings(this.options),
      ...state.certificateFindings(Date.now(), this.certificateOfStart()),
      ...state.partyFindings(this.directory.current.relyingParties),
      ...state.domainListFindings(this.options, this.directory.current.relyingParties),
      ...state.forwardedHostFindings(this.options, this.directory.current.relyingParties),
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
      this.ofWebhooks().catch(() => []),
      this.database.all().catch(() => []),
    ]);
    return urgentFirst([...this.ofSetting(), ...this.ofMetadata(), ...fromDatabase.flat()]);
  }

  private ofMetadata(): SetupFinding[] {
    return [
      ...state.metadataFindings(this.metadata.summary()),
      ...state.sourceFindings(this.metadata.sources()),
      ...state.revocationFindings(this.metadata.revocations.phones.summary()),
      ...state.listFindings(this.metadata.revocations.summary()),
    ];
  }

  private async ofWebhooks(): Promise<SetupFinding[]> {
    return state.webhookFindings(await this.webhooks.list(OPERATOR));
  }
}

const urgentFirst = (findings: readonly SetupFinding[]): SetupFinding[] =>
  [...findings].sort((a, b) => Number(b.urgent) - Number(a.urgent));
