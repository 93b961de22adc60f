import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { insertStep } from './commit/step-of.js';
import type { Step } from './commit/unit.js';
import { Database } from './database.js';
import { tableOf } from './entities/table.js';
import { Secret } from './secret.entity.js';

const secret = tableOf(Secret);
const REPLACE = `UPDATE ${secret.from} SET ${secret.value} = ?
  WHERE ${secret.name} = ? AND ${secret.value} = ?`;

/** The step that gives a secret another value; nothing of its unit is stored where it has changed. */
export const replaceSecret = (name: string, from: string, to: string): Step => ({
  sql: REPLACE,
  params: [to, name, from],
  guard: true,
});

/** Secrets that all instances share, such as the key that signs the session cookie. */
@Injectable()
export class SecretStore {
  constructor(
    @InjectRepository(Secret) private readonly secrets: Repository<Secret>,
    private readonly database: Database,
  ) {}

  async find(name: string): Promise<string | undefined> {
    return (await this.secrets.findOneBy({ name }))?.value;
  }

  /** The secret of this name; the first instance that asks makes it. */
  async findOrCreate(name: string, make: () => string): Promise<string> {
    const found = await this.find(name);
    if (found !== undefined) return found;
    const made = make();
    try {
      await this.database.commit([insertStep(this.secrets, { name, value: made })]);
      return made;
    } catch (error) {
      // Another instance was first: its secret counts.
      const theirs = await this.find(name);
      if (theirs === undefined) throw error;
      return theirs;
    }
  }
}
