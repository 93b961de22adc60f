import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { Clock } from '../../common/clock.js';
import { serverOptions } from '../../config/server-config.js';
import { readMetadataBlob } from '../../webauthn/metadata/blob.js';
import type { MetadataBlob } from '../../webauthn/metadata/blob.js';
import { MetadataError } from '../../webauthn/metadata/metadata-error.js';
import type { MetadataFault } from '../../webauthn/metadata/metadata-error.js';
import { certificatesAt } from './metadata-roots.js';
import type { Fetched, MetadataSource } from './metadata-source.js';
import { MetadataStore } from './metadata-store.js';
import type { SourceState } from './metadata-store.js';

/** A BLOB that was refused; the message is a sentence for administrators. */
export class MetadataRefused extends Error {}

const SENTENCES: Readonly<Record<MetadataFault, string>> = {
  'not-a-jws': 'This is no metadata BLOB: a signed JWT is expected.',
  algorithm: 'The metadata is signed with an algorithm that is not accepted.',
  certificate: 'The certificates of the metadata are missing or malformed.',
  signature: 'The signature of the metadata does not verify.',
  'certificate-path': 'The certificates of the metadata lead to no trusted root.',
  payload: 'The metadata is not in the form of FIDO Metadata Service version 3.',
};

/** A source, its state that all instances share, and the BLOB that this instance has loaded. */
export interface Shelf {
  readonly source: MetadataSource;
  readonly state: SourceState;
  readonly blob: MetadataBlob | undefined;
}

const ETAG_MAX = 255;
const day = (time: number | Date) => new Date(time).toISOString().slice(0, 10);

/** Decides which BLOBs are accepted, and stores them (FIDO Metadata Service v3 §3.2). */
@Injectable()
export class MetadataIntake {
  private readonly roots: readonly Buffer[];

  constructor(
    private readonly store: MetadataStore,
    private readonly clock: Clock,
    @Inject(serverOptions.KEY) { mdsRoots }: ConfigType<typeof serverOptions>,
  ) {
    this.roots = mdsRoots === undefined ? [] : certificatesAt(mdsRoots);
  }

  /**
   * Verifies a BLOB and stores it as its source's last good one, unless it is that already.
   *
   * @throws MetadataRefused when it does not verify or is not newer
   */
  async take(shelf: Shelf, { jwt, etag }: Fetched): Promise<void> {
    const { source, state } = shelf;
    const digest = createHash('sha256').update(jwt).digest();
    if (shelf.blob && state.digest.equals(digest)) return;
    const takenAt = this.clock.now();
    const blob = this.verify(jwt, source, takenAt);
    if (blob.no < state.no || (blob.no === state.no && shelf.blob)) {
      throw new MetadataRefused(
        `Number ${blob.no} of ${day(blob.nextUpdate)} is not newer than ${state.no}, which is here.`,
      );
    }
    const nextUpdate = blob.nextUpdate.getTime();
    const kept = etag.length <= ETAG_MAX ? etag : '';
    const taken = { digest, no: blob.no, nextUpdate, takenAt, etag: kept };
    if (!(await this.store.advance(state, taken, jwt))) {
      throw new MetadataRefused('Another instance has taken a BLOB of this source meanwhile.');
    }
  }

  /** The last good BLOB of a source; `undefined` when there is none that verifies. */
  async restore(source: MetadataSource, state: SourceState): Promise<MetadataBlob | undefined> {
    const jwt = await this.store.read(state.digest);
    if (!jwt) return undefined;
    try {
      return this.verify(jwt, source, state.takenAt);
    } catch (error) {
      // The configured roots have changed since the BLOB was accepted.
      if (error instanceof MetadataRefused) return undefined;
      throw error;
    }
  }

  /**
   * Verifies a BLOB. One from a file may come from an archive, so its signer's certificate may have expired;
   * one from the web must be valid at the given time.
   */
  private verify(jwt: Buffer, { kind }: MetadataSource, time: number): MetadataBlob {
    try {
      const at = kind === 'url' ? new Date(time) : 'issued';
      return readMetadataBlob(jwt, { roots: this.roots, at });
    } catch (error) {
      if (!(error instanceof MetadataError)) throw error;
      throw new MetadataRefused(SENTENCES[error.fault], { cause: error });
    }
  }
}
