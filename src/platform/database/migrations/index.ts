import { Baseline1764300002000 } from './1764300002000-baseline.js';
import { AddUserToUploadLines1764300002100 } from './1764300002100-add-user-to-upload-lines.js';
import { IndexDeletedKeysByModel1764300002200 } from './1764300002200-index-deleted-keys-by-model.js';

/**
 * The schema's history, oldest first. MySQL commits each DDL statement separately, so a migration after the
 * baseline has exactly one. Released migrations must not change.
 */
export const MIGRATIONS = [
  Baseline1764300002000,
  AddUserToUploadLines1764300002100,
  IndexDeletedKeysByModel1764300002200,
];
