import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Credential } from '../../credentials/credential.entity.js';
import { scope } from '../../database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';

/** What is known of a credential's origin. */
export interface AttestationFacts {
  readonly type: string;
  readonly trusted: boolean;
  readonly userVerified: boolean;
}

/** Reads what the registration proved, which lists leave out. */
@Injectable()
export class AttestationReader {
  constructor(@InjectRepository(Credential) private readonly credentials: Repository<Credential>) {}

  /** By the row's ID (hex) of each credential of a user. */
  async ofUser(rp: RelyingParty, userId: Buffer): Promise<ReadonlyMap<string, AttestationFacts>> {
    const found = await this.credentials.find({
      select: { id: true, attestationType: true, attestationTrusted: true, userVerified: true },
      where: { ...scope(rp), userId },
    });
    return new Map(
      found.map(({ id, attestationType: type, attestationTrusted: trusted, userVerified }) => [
        id.toString('hex'),
        { type, trusted, userVerified },
      ]),
    );
  }
}
