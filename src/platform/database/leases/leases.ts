import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import { Lease } from './lease.js';
import { LeasedRounds } from './leased-rounds.js';
import type { Job } from './leased-rounds.js';

/** The leases of this process, each by the name of its job. */
@Injectable()
export class Leases {
  constructor(private readonly database: Database) {}

  /** @param name name of the job, the same on all instances */
  of(name: string): Lease {
    return new Lease(this.database, name);
  }

  /** Rounds of the job with this name. */
  rounds(name: string, job: Omit<Job, 'name'>): LeasedRounds {
    return new LeasedRounds(this.of(name), { ...job, name });
  }
}
