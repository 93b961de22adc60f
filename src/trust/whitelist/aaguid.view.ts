import { phrase } from '../../platform/pages/languages/phrase.js';
import type { Warning } from '../../platform/pages/page.view.js';
import type { RefusedForm } from '../../platform/pages/submit-form.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { NO_AAGUID } from '../../webauthn/aaguid.js';
import type { AuthenticatorModels } from '../authenticator-models.js';
import type { AaguidList } from './aaguid-list.js';

/** Warning that no anchor proves the listed models, so that anyone can make a certificate that claims one. */
export const UNPROVED_WARNING: Warning = {
  title: phrase('findings:unproved-models.title'),
  text: phrase('findings:textAndMend', {
    text: phrase('findings:unproved-models.text'),
    mend: phrase('findings:unproved-models.mend'),
  }),
};

export interface WhitelistVisit {
  /** The text of a search. */
  readonly find?: string | undefined;
  /** The form that adds a model, if it is shown again because of mistakes. */
  readonly sent?: RefusedForm;
}

interface WhitelistShown {
  readonly list: AaguidList;
  readonly models: AuthenticatorModels;
  /** The number of keys of each model, at the relying parties that the account may see. */
  readonly inUse: ReadonlyMap<string, number>;
  readonly relyingParties: readonly RelyingParty[];
  readonly warnings: readonly Warning[];
  /** Whether there is a page of metadata. */
  readonly hasMetadata: boolean;
}

/** The page of the whitelist. */
export function whitelistPage(shown: WhitelistShown, account: Account, visit: WhitelistVisit) {
  const { list, inUse, warnings, hasMetadata } = shown;
  const { find, sent } = visit;
  const mayDecide = may(account, 'models:change') && account.tenants === undefined;
  const row = rowsFor(shown, account);
  return {
    title: phrase('models:title'),
    texts: 'models',
    refused: sent !== undefined,
    typed: sent?.fields,
    faults: sent?.faults,
    find: find ?? '',
    found: find === undefined ? undefined : foundModels(shown, find, row),
    styles: ['/static/css/tenants.css'],
    scripts: ['/static/js/models.js'],
    nav: { models: true },
    /** Whether there is a whitelist. */
    enabled: list.enabled,
    warnings,
    metadata: hasMetadata,
    mayReadMetadata: may(account, 'metadata:read'),
    listed: list.models.map(({ aaguid, name, addedAt, addedBy }) => ({
      ...row(aaguid, name),
      addedAt: new Date(addedAt).toISOString(),
      addedBy,
    })),
    /** Models in use that are not listed, the most used first. */
    others: [...inUse.keys()]
      .filter((aaguid) => !list.has(aaguid))
      .map((aaguid) => row(aaguid))
      .sort((a, b) => b.inUse - a.inUse),
    /** Relying parties that block models of their own. */
    blocking: blockingPartiesOf(shown),
    /** Whether to say how an operator enables the whitelist. */
    mayEnable: !list.enabled && mayDecide,
    mayChange: list.enabled && mayDecide,
  };
}

/** A function that shows a model, under its name on the list if it has one. */
function rowsFor({ models, inUse }: WhitelistShown, account: Account) {
  const mayReadUsers = may(account, 'users:read');
  return (aaguid: string, name = '') => {
    const count = inUse.get(aaguid) ?? 0;
    const known = name || models.name(aaguid);
    return {
      aaguid,
      name: known ?? phrase(aaguid === NO_AAGUID ? 'models:notTold' : 'models:unknown'),
      unnamed: known === undefined,
      icon: models.icon(aaguid),
      inUse: count,
      /** Address of the page with the users who have such a key, if the account may see them. */
      usersPage: mayReadUsers && count > 0 ? `/userapi?model=${aaguid}` : undefined,
      /** Whether the authenticator does not report its model and thus cannot be listed. */
      anonymous: aaguid === NO_AAGUID,
    };
  };
}

function foundModels(
  { list, models, inUse }: WhitelistShown,
  find: string,
  row: ReturnType<typeof rowsFor>,
) {
  const { models: found, more } = models.search(find, inUse);
  const rows = found.map(({ aaguid, name }) => ({
    ...row(aaguid, name),
    listed: list.has(aaguid),
  }));
  return { rows, more };
}

function blockingPartiesOf({ relyingParties, models }: WhitelistShown) {
  return relyingParties.flatMap(({ domain, policy: { block } }) => {
    if (!block) return [];
    const blocked = block.value.map((aaguid) => ({ aaguid, name: models.name(aaguid) ?? aaguid }));
    return [{ domain, models: blocked }];
  });
}

export type WhitelistPage = ReturnType<typeof whitelistPage>;
