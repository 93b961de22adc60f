import type { SetupFinding } from '../../health/setup/setup-finding.js';
import type { Phrase, Text } from '../../platform/pages/languages/phrase.js';
import type { PageView, Warning } from '../../platform/pages/page.view.js';
import type { SourceReport } from '../../trust/metadata/metadata.answer.js';

export interface Check {
  readonly name: Phrase;
  /** The product's name. */
  readonly kind: string;
  readonly up: boolean;
  readonly latencyMs: number;
}

/** An option that changes the server's behaviour, and its value. */
export interface Feature {
  readonly option: string;
  readonly setting: Text;
  readonly meaning: Phrase;
}

/** A fact about the process, or about a system it depends on, in words. */
export interface Fact {
  readonly name: Text;
  readonly value: Text;
  /** The time of the fact, ISO 8601. */
  readonly at?: string | undefined;
}

/** The part of the page for accounts that may see the server's setup. */
export interface OperatorView {
  readonly findings: readonly SetupFinding[];
  readonly facts: readonly Fact[];
  readonly sources: readonly SourceReport[];
}

export interface StatusView extends PageView {
  readonly healthy: boolean;
  readonly warnings: readonly Warning[];
  readonly checks: readonly Check[];
  readonly features: readonly Feature[];
  readonly operator?: OperatorView | undefined;
}

export interface VersionView extends PageView {
  readonly facts: readonly Fact[];
}
