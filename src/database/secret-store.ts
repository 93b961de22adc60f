import { Injectable } from '@nestjs/common';
import { Database } from './database.js';

/** Secrets that all instances share, such as the key that signs the session cookie. */
@Injectable()
export class SecretStore {
  constructor(private readonly database: Database) {}

  async find(name: string): Promise<string | undefined> {
    const read = this.database.query<{ value: string }>('SELECT value FROM secrets WHERE name = ?');
    const [row] = await read.all(name);
    return row?.value;
  }

  /** The secret of this name; the first instance that asks makes it. */
  async findOrCreate(name: string, make: () => string): Promise<string> {
    const found = await this.find(name);
    if (found !== undefined) return found;
    const made = make();
    try {
      await this.database.commit([
        { sql: 'INSERT INTO secrets (name, value) VALUES (?, ?)', params: [name, made] },
      ]);
      return made;
    } catch (error) {
      // Another instance was first: its secret counts.
      const theirs = await this.find(name);
      if (theirs === undefined) throw error;
      return theirs;
    }
  }
}
