import { Inject, Injectable } from '@nestjs/common';
import { sha256 } from '../../platform/common/sha256.js';
import { DocumentError } from '../../platform/common/network/documents.js';
import { Clock } from '../../platform/common/clock.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { dayText } from '../../platform/validation/values/moment.js';
import { problem, sentenceOf, type Problem, type Reason } from '../../platform/errors/reasons.js';
import {
  lastKnownEntries,
  readMetadataBlob,
  type MetadataBlob,
} from '../../webauthn/metadata/blob.js';
import { MetadataError, type MetadataFault } from '../../webauthn/metadata/metadata-error.js';
import { certificatesAt } from '../../platform/validation/values/pem.js';
import { Revocations } from '../revocation/revocations.js';
import type { MetadataSource } from './metadata-source.js';
import {
  MetadataStore,
  type LoadedSource,
  type ReceivedBlob,
  type SourceState,
} from './metadata-store.js';

/** Thrown for a BLOB that does not verify or is not newer; its message is shown to administrators. */
export class MetadataRefused extends DocumentError {
  constructor(
    readonly problem: Problem,
    options?: ErrorOptions,
  ) {
    super(sentenceOf(problem), options);
  }
}

const REASONS = {
  'not-a-jws': 'metadata.noJws',
  algorithm: 'metadata.algorithm',
  certificate: 'metadata.certificates',
  signature: 'metadata.signature',
  'certificate-path': 'metadata.noRoot',
  'signer-time': 'metadata.signerTime',
  revoked: 'metadata.revoked',
} as const satisfies Readonly<Record<Exclude<MetadataFault, 'payload'>, Reason>>;

const ETAG_MAX = 255;

/** Decides which BLOBs are accepted, and stores them (FIDO Metadata Service v3 §3.2). */
@Injectable()
export class MetadataIntake {
  private readonly roots: readonly Buffer[];

  constructor(
    private readonly store: MetadataStore,
    private readonly revocations: Revocations,
    private readonly clock: Clock,
    @Inject(serverOptions.KEY) { mdsRoots }: ServerOptions,
  ) {
    this.roots = mdsRoots === undefined ? [] : certificatesAt(mdsRoots);
  }

  /**
   * Verifies a BLOB and stores it as its source's last good one, unless it is that already.
   *
   * @returns the BLOB
   * @throws MetadataRefused if it does not verify or is not newer
   */
  async take(
    { source, state, blob: current }: LoadedSource,
    received: ReceivedBlob,
  ): Promise<MetadataBlob> {
    const { jwt, etag } = received;
    const digest = sha256(jwt);
    const isKept = state.digest.equals(digest);
    // The loaded BLOB is an older one if this instance could not read or verify the last good one.
    if (isKept && current?.no === state.no) return current;
    const takenAt = this.clock.now();
    const blob = this.verify(jwt, source, { time: takenAt });
    if (blob.no < state.no || (blob.no === state.no && current && !isKept)) {
      throw new MetadataRefused(
        problem('metadata.notNewer', {
          no: blob.no,
          day: dayText(blob.nextUpdate.getTime()),
          here: state.no,
        }),
      );
    }
    const nextUpdate = blob.nextUpdate.getTime();
    const kept = etag.length <= ETAG_MAX ? etag : '';
    const lastKnown = await this.lastKnown(state, current, blob);
    const taken = { digest, no: blob.no, nextUpdate, takenAt, etag: kept, lastKnown };
    if (!(await this.store.advance(state, taken, received))) {
      // The same BLOB may have been sent twice at the same time.
      const now = (await this.store.states()).find(({ id }) => id.equals(source.id));
      if (!now?.digest.equals(digest)) throw new MetadataRefused(problem('metadata.overtaken'));
    }
    return lastKnown.length === 0 ? blob : this.verify(jwt, source, { time: takenAt, lastKnown });
  }

  /** The last good BLOB of a source; `undefined` if there is none that verifies. */
  async restore(source: MetadataSource, state: SourceState): Promise<MetadataBlob | undefined> {
    const jwt = await this.store.read(state.digest);
    if (!jwt) return undefined;
    const lastKnown = await this.store.lastKnown(state);
    try {
      return this.verify(jwt, source, { time: state.takenAt, lastKnown });
    } catch (error) {
      // The configured roots have changed since the BLOB was accepted.
      if (error instanceof MetadataRefused) return undefined;
      throw error;
    }
  }

  /** The last known entries of the models whose entries in a new BLOB cannot be read, as JSON values. */
  private async lastKnown(
    state: SourceState,
    current: MetadataBlob | undefined,
    { skipped }: MetadataBlob,
  ): Promise<readonly unknown[]> {
    const models = new Set(skipped.flatMap(({ entry, isEntry }) => (isEntry ? [entry] : [])));
    if (models.size === 0) return [];
    // A BLOB that does not verify any longer is not asked.
    const before = current && (await this.store.read(state.digest));
    return lastKnownEntries(before, await this.store.lastKnown(state), models);
  }

  /**
   * Verifies a BLOB. An overdue BLOB from a file or an upload may come from an archive: its signer's certificate may
   * have expired since it was made. Any other must be valid at the given time.
   */
  private verify(
    jwt: Buffer,
    { kind }: MetadataSource,
    { time, lastKnown = [] }: { readonly time: number; readonly lastKnown?: readonly unknown[] },
  ): MetadataBlob {
    const { roots, revocations } = this;
    try {
      const at = new Date(time);
      const isArchived = kind !== 'url';
      return readMetadataBlob(jwt, { roots, at, isArchived, lists: revocations.lists, lastKnown });
    } catch (error) {
      if (!(error instanceof MetadataError)) throw error;
      const { fault, detail: member } = error;
      const refused =
        fault === 'payload' ? problem('metadata.payload', { member }) : problem(REASONS[fault]);
      throw new MetadataRefused(refused, { cause: error });
    }
  }
}
