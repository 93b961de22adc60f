import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { distributionPointsOf } from '../../webauthn/attestation/distribution-points.js';
import { nameText } from '../../webauthn/attestation/revocation-list.js';
import type { RevocationList } from '../../webauthn/attestation/revocation-list.js';
import { RevocationLists } from '../../webauthn/attestation/revocation-lists.js';
import type { RevokedSerials } from '../../webauthn/attestation/revoked-keys.js';
import type { TrustVerdict } from '../../webauthn/attestation/trust.js';
import { AndroidRevocations } from '../metadata/android-revocations.js';
import { FetchedLists } from './fetched-lists.js';
import { ListFiles } from './list-files.js';

const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(value));

/** How the revocation lists are, for those who operate the server. */
export interface ListsSummary {
  readonly lists: number;
  /** Certificates that are on them. */
  readonly revoked: number;
  /** Lists whose announced successor has not come, and those that were never got. */
  readonly stale: boolean;
}

/** What became known of certificates and keys of attestations after they were made. */
@Injectable()
export class Revocations {
  private known = new RevocationLists();
  private sources: readonly (readonly RevocationList[])[] = [];
  private readonly digests = new WeakMap<object, string>();

  constructor(
    private readonly android: AndroidRevocations,
    private readonly files: ListFiles,
    private readonly fetched: FetchedLists,
    private readonly clock: Clock,
  ) {}

  /** Google's list of revoked keys of phones. */
  get phones(): RevokedSerials {
    return this.android.revoked;
  }

  /** What authorities say (`--crls`). Asked by each registration: nothing is read or fetched here. */
  get lists(): RevocationLists {
    const sources = [this.files.lists, this.fetched.lists];
    if (sources.some((lists, n) => lists !== this.sources[n])) {
      this.sources = sources;
      this.known = new RevocationLists(sources.flat());
    }
    return this.known;
  }

  /** Has those asked for their lists whom the certificates of a trusted attestation name. */
  note({ chains = [] }: TrustVerdict): void {
    if (!this.fetched.enabled) return;
    for (const point of chains.flatMap(distributionPointsOf)) this.fetched.note(point);
  }

  /** Changes with what is revoked, and not with each new list that says the same. */
  digest(): string {
    const phones = this.digestFor(this.phones, () => [...this.phones].sort());
    if (!this.enabled) return phones;
    const { lists } = this;
    return digestOf([phones, this.fetched.enabled, this.digestFor(lists, () => contentOf(lists))]);
  }

  /** Of Google's list; `undefined` where there is none to read. */
  phonesSummary() {
    return this.android.summary();
  }

  /** Of the lists of authorities; `undefined` without `--crls`. */
  summary(): ListsSummary | undefined {
    if (!this.enabled) return undefined;
    const { all, revoked } = this.lists;
    const overdue = all.some(({ nextUpdate }) => (nextUpdate ?? Infinity) < this.clock.now());
    return { lists: all.length, revoked, stale: overdue || this.fetched.missing > 0 };
  }

  private get enabled(): boolean {
    return this.files.enabled || this.fetched.enabled;
  }

  private digestFor(it: object, content: () => unknown): string {
    const digest = this.digests.get(it) ?? digestOf(content());
    this.digests.set(it, digest);
    return digest;
  }
}

/** Who has revoked what; lists that revoke nothing say nothing. */
const contentOf = ({ all }: RevocationLists): readonly string[] =>
  all
    .filter(({ serialNumbers }) => serialNumbers.size > 0)
    .map(({ issuer, serialNumbers }) => [nameText(issuer), ...[...serialNumbers].sort()].join())
    .sort();
