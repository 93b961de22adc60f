import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { sha256 } from '../../platform/common/sha256.js';
import { Database } from '../../platform/database/database.js';
import type { DistributionPoint } from '../../webauthn/certificates/distribution-points.js';
import { FetchedSourceStore, UNTRIED } from '../fetched-source.js';
import { RevocationListEntity } from './revocation-list.entity.js';

/** The state of a place, which all instances share. */
export type ListState = Omit<RevocationListEntity, 'list'>;

/** The ID of a place. Lists of different authorities at the same address have different places. */
export const listPlaceId = ({ address, issuer }: DistributionPoint): Buffer =>
  sha256(Buffer.concat([Buffer.from(`${address}\0`), issuer])).subarray(0, 16);

/** The places of revocation lists and their last good ones, in the database that instances share. */
@Injectable()
export class RevocationStore extends FetchedSourceStore<RevocationListEntity> {
  constructor(
    @InjectRepository(RevocationListEntity) lists: Repository<RevocationListEntity>,
    database: Database,
  ) {
    super(lists, database, true);
  }

  /** The last good list of a place, DER. */
  async read({ id }: ListState): Promise<Buffer | undefined> {
    const row = await this.sources.findOne({ select: { id: true, list: true }, where: { id } });
    return row?.list ?? undefined;
  }

  /** Creates the row of a new place. */
  introduce(point: DistributionPoint): Promise<void> {
    const { address, issuer } = point;
    return this.add({
      ...UNTRIED,
      id: listPlaceId(point),
      address,
      issuer,
      list: null,
      thisUpdate: 0,
    });
  }

  /** Makes a list the last good one of its place, unless the place has another one in the meantime. */
  async keep(
    { id, digest: last }: ListState,
    taken: Pick<RevocationListEntity, 'list' | 'digest' | 'thisUpdate'>,
  ): Promise<void> {
    await this.update({ id, digest: last }, taken);
  }
}
