import { Baseline1764300000000 } from './1764300000000-baseline.js';

/**
 * The schema's history, oldest first. MySQL commits each DDL statement by itself, so a migration after the
 * baseline has exactly one. Released migrations keep what they do.
 */
export const MIGRATIONS = [Baseline1764300000000];
