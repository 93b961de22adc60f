import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Credential } from '../../../users/credentials/credential.entity.js';
import { scope } from '../../../platform/database/scope.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';

/** What is known of a credential's origin. */
export interface AttestationFacts {
  readonly type: string;
  readonly trusted: boolean;
  readonly userVerified: boolean;
  /** `null` where the registration did not say. */
  readonly residentKey: boolean | null;
  /** The kind of server that it was imported from; `null` where it was registered here. */
  readonly importedFrom: string | null;
}

/** Reads what a registration proved of its credential; lists of users leave it out. */
@Injectable()
export class AttestationReader {
  constructor(@InjectRepository(Credential) private readonly credentials: Repository<Credential>) {}

  /** Attestation facts of a user's credentials, keyed by the row's ID in hex. */
  async ofUser(rp: RelyingParty, userId: Buffer): Promise<ReadonlyMap<string, AttestationFacts>> {
    const found = await this.credentials.find({
      select: {
        id: true,
        attestationType: true,
        attestationTrusted: true,
        userVerified: true,
        residentKey: true,
        importedFrom: true,
      },
      where: { ...scope(rp), userId },
    });
    return new Map(
      found.map(({ id, attestationType: type, attestationTrusted: trusted, ...facts }) => [
        id.toString('hex'),
        { type, trusted, ...facts },
      ]),
    );
  }
}
