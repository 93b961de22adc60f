import type { MigrationInterface } from 'typeorm';

/**
 * Does nothing any more. It made `users.user_handle` wider, but MariaDB copies the table for that, and nobody
 * can sign in through an older instance meanwhile; handles of other lengths go into `further_handles`
 * instead. The name stays for databases that ran it: their column is wider than needed, which does no harm.
 */
export class WidenUserHandle1764000000040 implements MigrationInterface {
  up = () => Promise.resolve();
  down = () => Promise.resolve();
}
