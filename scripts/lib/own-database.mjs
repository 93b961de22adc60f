import { randomUUID } from 'node:crypto';
import { createConnection } from 'mysql2/promise';

/** A database of its own in MariaDB, for a script that fills it and drops it again. */
export class OwnDatabase {
  /**
   * @param server URL of the server, with a login that may make databases
   * @param purpose part of its name
   */
  static async create(server, purpose) {
    const own = new OwnDatabase();
    own.name = `servicefido_${purpose}_${randomUUID().slice(0, 8)}`;
    own.connection = await createConnection({ uri: server });
    await own.connection.query(`CREATE DATABASE ${own.name}`);
    await own.connection.query(`USE ${own.name}`);
    own.url = `${server.replace(/\/$/, '')}/${own.name}`;
    return own;
  }

  async drop() {
    await this.connection.query(`DROP DATABASE ${this.name}`);
    await this.connection.end();
  }
}
