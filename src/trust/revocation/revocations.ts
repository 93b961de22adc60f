import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { distributionPointsOf } from '../../webauthn/certificates/distribution-points.js';
import { nameText, type RevocationList } from '../../webauthn/certificates/revocation-list.js';
import { RevocationLists } from '../../webauthn/certificates/revocation-lists.js';
import { AndroidRevocations } from './android-revocations.js';
import { FetchedLists } from './fetched-lists.js';
import { ListFiles } from './list-files.js';

const jsonDigest = (value: unknown): string => hash('sha256', JSON.stringify(value));

/** Revocations of attestation certificates and keys, from authorities and from Google's list for phones. */
@Injectable()
export class Revocations {
  private known = new RevocationLists();
  private sources: readonly (readonly RevocationList[])[] = [];
  private readonly digests = new WeakMap<object, string>();

  constructor(
    /** Google's list of revoked phone keys. */
    readonly phones: AndroidRevocations,
    private readonly files: ListFiles,
    private readonly fetched: FetchedLists,
    private readonly clock: Clock,
  ) {}

  /** The authorities' lists (`--crls`). Every registration needs them, so nothing is read or fetched here. */
  get lists(): RevocationLists {
    const sources = [this.files.lists, this.fetched.lists];
    if (sources.some((lists, n) => lists !== this.sources[n])) {
      this.sources = sources;
      this.known = new RevocationLists(sources.flat());
    }
    return this.known;
  }

  /** Resolves when the lists that exist at the start have been read. */
  async ready(): Promise<void> {
    await Promise.all([this.files.ready(), this.fetched.ready()]);
  }

  /**
   * Requests the revocation lists that these certificates name.
   *
   * @param chains DER, each from a leaf to a root that is built in, in metadata or in `--mds-roots`
   */
  request(chains: readonly (readonly Buffer[])[]): void {
    if (!this.fetched.enabled) return;
    for (const point of chains.flatMap(distributionPointsOf)) this.fetched.request(point);
  }

  /** Digest of the revoked certificates and keys. A new list with the same entries does not change it. */
  digest(): string {
    const { revoked } = this.phones;
    const phones = this.digestFor(revoked, () => [...revoked].sort());
    if (!this.enabled) return phones;
    const { lists } = this;
    return jsonDigest([
      phones,
      this.fetched.enabled,
      this.digestFor(lists, () => contentOf(lists)),
    ]);
  }

  /** State of the authorities' lists; `undefined` without `--crls`. */
  summary() {
    if (!this.enabled) return undefined;
    const { all, revokedCount } = this.lists;
    const overdue = all.some(({ nextUpdate }) => (nextUpdate ?? Infinity) < this.clock.now());
    // Stale: a list's announced successor is overdue, or a list has never been fetched.
    return { lists: all.length, revoked: revokedCount, stale: overdue || this.fetched.missing > 0 };
  }

  private get enabled(): boolean {
    return this.files.enabled || this.fetched.enabled;
  }

  private digestFor(it: object, content: () => unknown): string {
    const digest = this.digests.get(it) ?? jsonDigest(content());
    this.digests.set(it, digest);
    return digest;
  }
}

/** The entries of the lists, as sorted texts, without empty lists. */
const contentOf = ({ all }: RevocationLists): readonly string[] =>
  all
    .filter(({ serialNumbers }) => serialNumbers.size > 0)
    .map(({ issuer, serialNumbers }) => [nameText(issuer), ...[...serialNumbers].sort()].join())
    .sort();
