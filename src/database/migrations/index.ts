import { CreateTenants1763700000001 } from './1763700000001-create-tenants.js';
import { CreateRelyingParties1763700000002 } from './1763700000002-create-relying-parties.js';
import { CreateUsers1763700000003 } from './1763700000003-create-users.js';
import { CreateCredentials1763700000004 } from './1763700000004-create-credentials.js';
import { CreateEvents1763700000005 } from './1763700000005-create-events.js';
import { CreateSecrets1763700000006 } from './1763700000006-create-secrets.js';
import { CreateSigningKeys1763700000007 } from './1763700000007-create-signing-keys.js';
import { CreateTickets1763700000008 } from './1763700000008-create-tickets.js';

/**
 * The schema's history, oldest first. MySQL commits each DDL statement by itself, so a migration
 * holds exactly one; what has landed is never changed.
 */
export const MIGRATIONS = [
  CreateTenants1763700000001,
  CreateRelyingParties1763700000002,
  CreateUsers1763700000003,
  CreateCredentials1763700000004,
  CreateEvents1763700000005,
  CreateSecrets1763700000006,
  CreateSigningKeys1763700000007,
  CreateTickets1763700000008,
];
