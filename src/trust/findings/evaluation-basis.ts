import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { Clock } from '../../common/clock.js';
import { serverOptions } from '../../config/server-config.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { RevokedSerials } from '../../webauthn/attestation/revoked-keys.js';
import { latestEffect } from '../../webauthn/metadata/status.js';
import { AndroidRevocations } from '../metadata/android-revocations.js';
import { MetadataService } from '../metadata/metadata.service.js';
import { AaguidList } from '../whitelist/aaguid-list.js';

/** Rises when the evaluation itself changes. */
const VERSION = 1;

const digestOf = (value: unknown): Buffer => hash('sha256', JSON.stringify(value), 'buffer');

/** What keys are held against, in one value: while it is the same, no key need be looked at again. */
@Injectable()
export class EvaluationBasis {
  private listed: { readonly serials: RevokedSerials; readonly digest: string } | undefined;

  constructor(
    private readonly metadata: MetadataService,
    private readonly revocations: AndroidRevocations,
    private readonly whitelist: AaguidList,
    private readonly clock: Clock,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /**
   * Of the whole server; `undefined` while metadata that it was started with is not there: then nothing
   * would be proved, and nothing can be told from that.
   */
  ofServer(): Buffer | undefined {
    const shelves = this.metadata.shelves;
    if (shelves.some(({ blob }) => blob === undefined)) return undefined;
    const { aaguid, attestation, conformance } = this.options;
    const models = [...this.metadata.index.models()];
    return digestOf([
      VERSION,
      shelves.map(({ state }) => state.digest.toString('hex')),
      latestEffect(models, new Date(this.clock.now())),
      this.revokedDigest(),
      aaguid ? this.whitelist.models.map((model) => model.aaguid).sort() : 'off',
      [attestation, conformance],
    ]);
  }

  of({ policy }: RelyingParty, server: Buffer): Buffer {
    return digestOf([server.toString('hex'), policy]);
  }

  private revokedDigest(): string {
    const serials = this.revocations.revoked;
    if (this.listed?.serials !== serials) {
      this.listed = { serials, digest: digestOf([...serials].sort()).toString('hex') };
    }
    return this.listed.digest;
  }
}
