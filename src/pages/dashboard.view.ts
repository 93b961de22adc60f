import type { Holdings } from '../credentials/inventory.js';
import type { PageView, Warning } from './page.view.js';

export interface Figure {
  readonly icon: 'building' | 'globe' | 'user' | 'key';
  readonly label: string;
  readonly value: string;
  readonly note?: string;
}

/** A row of the table; numbers are written out for reading. */
export interface RelyingPartyRow extends Readonly<Record<keyof Holdings, string>> {
  readonly domain: string;
  readonly name: string;
  readonly tenant: string;
  readonly origins: readonly string[];
}

export interface DashboardView extends PageView {
  readonly warnings: readonly Warning[];
  readonly figures: readonly Figure[];
  readonly relyingParties: readonly RelyingPartyRow[];
}
