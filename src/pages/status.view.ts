import type { PageView, Warning } from '../presentation/page.view.js';

export interface Check {
  readonly name: string;
  /** Which product it is. */
  readonly kind: string;
  readonly up: boolean;
  readonly latencyMs: string;
}

/** An option that changes what the server does, as it is set. */
export interface Feature {
  readonly option: string;
  readonly setting: string;
  readonly meaning: string;
}

export interface StatusView extends PageView {
  readonly healthy: boolean;
  readonly warnings: readonly Warning[];
  readonly checks: readonly Check[];
  readonly features: readonly Feature[];
}

export interface VersionView extends PageView {
  readonly facts: readonly { readonly name: string; readonly value: string }[];
}
