import { Baseline1764300002000 } from './1764300002000-baseline.js';

/**
 * The schema's history, oldest first. MySQL commits each DDL statement separately, so a migration after the
 * baseline has exactly one. Released migrations keep what they do.
 */
export const MIGRATIONS = [Baseline1764300002000];
