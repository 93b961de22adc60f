import { ROLES, type AccountRole } from '../../platform/config/files/accounts-file.js';
import {
  baseIn,
  baseOf,
  changedMeanwhile,
  changesIn,
  differingFrom,
  type LastChanges,
  type MemberInWords,
  type TypedMembers,
} from '../../platform/pages/form-base.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { PageVisit } from '../../platform/pages/submit-form.js';
import { formRights, type AccountRights } from './account-rights.js';

/** A form of rights, and the changes by others since it was shown. */
interface StaleRights {
  readonly typed: TypedMembers<AccountRights>;
  readonly last: LastChanges;
}

/** A visit, and the rights that the account may grant there. */
export interface RightsVisit extends PageVisit {
  readonly links: boolean;
  /** Present if others changed the rights before the form was sent. */
  readonly stale?: StaleRights | undefined;
  /** The tenants for which the account may grant rights. */
  readonly tenants: readonly { readonly name: string; readonly displayName: string }[];
}

type FormRights = ReturnType<typeof formRights>;

export const rightsText = (
  fields: Readonly<Record<string, unknown>> | undefined,
  name: string,
): string => {
  const value = fields?.[name];
  return typeof value === 'string' ? value : '';
};

/** The rights in the form of a page. */
function shownRights({ sent, stale, tenants }: RightsVisit, present: AccountRights): FormRights {
  const givable = tenants.map(({ name }) => name);
  const stored = formRights(present, givable);
  if (stale) return { ...stored, ...changesIn(typedOf(stale, givable)) };
  // A form that only confirms a removal contains no rights.
  if (sent?.fields['role'] === undefined) return stored;
  const ticked = [sent.fields['tenants']].flat() as string[];
  const role = rightsText(sent.fields, 'role') as AccountRole;
  return formRights(
    { role, tenants: ticked, secondFactor: 'secondFactor' in sent.fields },
    givable,
  );
}

const typedOf = ({ typed: { base, members } }: StaleRights, givable: readonly string[]) => ({
  base,
  members: formRights(members, givable),
});

/** The fields of a form for rights: the typed values, otherwise the current ones. */
export function rightsFields(visit: RightsVisit, present: AccountRights) {
  const { role, tenants, secondFactor } = shownRights(visit, present);
  return {
    roles: {
      choices: ROLES.map((value) => ({
        value,
        text: phrase(`console:duties.${value}`),
        selected: value === role,
      })),
      error: visit.sent?.faults['role'],
    },
    tenants: {
      choices: visit.tenants.map(({ name, displayName }) => ({
        value: name,
        name: displayName,
        selected: tenants.includes(name),
      })),
      error: visit.sent?.faults['tenants'],
      /** Whether at least one must be ticked. */
      needed: visit.account.tenants !== undefined,
    },
    secondFactor,
  };
}

/** Rights in the words of the page. */
const inWords = ({ role, tenants, secondFactor }: FormRights): MemberInWords[] => [
  {
    member: 'role',
    what: phrase('console:accounts.role'),
    value: phrase(`console:roles.${role}`),
  },
  {
    member: 'tenants',
    what: phrase('console:accounts.limited'),
    value: tenants.join(', ') || phrase('console:accounts.allTenants'),
  },
  {
    member: 'secondFactor',
    what: phrase('console:accounts.columns.secondFactor'),
    value: phrase(`console:accounts.${secondFactor ? 'demanded' : 'notDemanded'}`),
  },
];

/** The form for the rights of an account, and the changes by others since it was shown. */
export function rightsForm(visit: RightsVisit, present: AccountRights) {
  const { sent, stale, tenants } = visit;
  const givable = tenants.map(({ name }) => name);
  const now = formRights(present, givable);
  const base = stale ? '' : baseIn(sent?.fields ?? {});
  return {
    /** The base of the form (`baseOf`). */
    base: base || baseOf(now),
    fields: rightsFields(visit, present),
    meanwhile:
      stale &&
      changedMeanwhile(
        differingFrom(stale.typed.base, now),
        {
          now,
          then: shownRights(visit, present),
          when: (member, value) => formRights({ ...now, [member]: value }, givable),
        },
        inWords,
        stale.last,
      ),
  };
}
