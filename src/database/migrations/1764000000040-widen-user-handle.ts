import type { MigrationInterface } from 'typeorm';

/**
 * Once made `users.user_handle` wider. MariaDB copies the table for that, and nobody can sign in through
 * an older instance meanwhile; handles of other lengths stand in `further_handles` instead. The name stays
 * for databases that know it: there the column is wider than it need be, which nothing minds.
 */
export class WidenUserHandle1764000000040 implements MigrationInterface {
  up = () => Promise.resolve();
  down = () => Promise.resolve();
}
