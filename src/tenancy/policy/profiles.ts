import { problem, type Problem } from '../../platform/errors/reasons.js';
import { isObject } from '../../platform/validation/field-validator.js';
import { shortened } from '../../platform/validation/unknown-fields.js';
import { isName, normalizeName } from '../../platform/validation/values/names.js';
import type { PolicyValue } from './policy-value-types.js';

const MAX_PROFILES = 20;
const MEMBERS = ['name', 'group', 'rules'];

/** A profile as it is stored: the members that it replaces for the users of a group. */
export interface WrittenProfile<Rules> {
  readonly name: string;
  readonly group: string;
  readonly rules: Rules;
}

/** A profile as it is applied. */
export interface Profile<Rules extends { readonly phases: unknown }> {
  readonly name: string;
  /** In NFC. */
  readonly group: string;
  /** The members that it replaces, and the `phases` of the policy that results. */
  readonly rules: Partial<Rules> & Pick<Rules, 'phases'>;
}

/**
 * A setting: profiles in order of precedence.
 *
 * @param members what a profile may replace, by name
 */
export function profileList<Written, Applied extends { readonly phases: unknown }>(
  members: readonly (readonly [name: string, PolicyValue<never, unknown>])[],
): PolicyValue<readonly WrittenProfile<Written>[], readonly Profile<Applied>[]> {
  const known = new Map(members as readonly [string, PolicyValue<unknown, unknown>][]);

  function problemOfRules(rules: object, place: string): Problem | undefined {
    for (const [name, written] of Object.entries(rules)) {
      const member = known.get(name);
      if (!member) return unknownMember(`policy.${place}`, name, [...known.keys()]);
      if (!member.fits(written)) return member.problemOf(`${place}.${name}`, written);
    }
    return undefined;
  }

  function faultOf(written: unknown, rule: string): Problem | undefined {
    if (!areProfiles(written)) return strangeMember(written, rule) ?? generalProblem(rule);
    for (const [n, { rules }] of written.entries()) {
      const found = problemOfRules(rules, `${rule}[${n}].rules`);
      if (found) return found;
    }
    return undefined;
  }

  const readRules = (rules: object) =>
    Object.fromEntries(
      Object.entries(rules).flatMap(([name, written]) => {
        const member = known.get(name);
        return member ? [[name, member.read(written)]] : [];
      }),
    ) as Profile<Applied>['rules'];

  const properties = Object.fromEntries(members.map(([name, { schema }]) => [name, schema]));
  return {
    fits: (written) => faultOf(written, '') === undefined,
    problemOf: (rule, written) => faultOf(written, rule) ?? generalProblem(rule),
    // A newer version may have stored rules that are unknown here.
    read: (written = []) =>
      written.map(({ name, group, rules }) => ({
        name,
        group: normalizeName(group),
        rules: readRules(rules as object),
      })),
    schema: {
      type: 'array',
      maxItems: MAX_PROFILES,
      items: {
        type: 'object',
        required: ['name', 'group', 'rules'],
        properties: {
          name: { type: 'string', example: 'Administrators' },
          group: { type: 'string', example: 'administrators' },
          rules: { type: 'object', properties },
        },
      },
    },
    field: { kind: 'json', hint: generalProblem('profiles') },
    hasMode: false,
  };
}

/** A member of the policy, or of a part of it, that there is not: the caller's spelling, and those that there are. */
export const unknownMember = (place: string, member: string, names: readonly string[]): Problem =>
  problem('policy.unknownMember', { place, member: shortened(member), names: names.join(', ') });

const generalProblem = (rule: string): Problem =>
  problem('policy.profiles', { rule, most: MAX_PROFILES });

function areProfiles(value: unknown): value is readonly WrittenProfile<object>[] {
  if (!Array.isArray(value) || value.length > MAX_PROFILES) return false;
  const all: readonly unknown[] = value;
  if (!all.every(isProfile)) return false;
  return new Set(all.map(({ name }) => normalizeName(name))).size === all.length;
}

function strangeMember(value: unknown, rule: string): Problem | undefined {
  const profiles: readonly unknown[] = Array.isArray(value) ? value : [];
  for (const [n, profile] of profiles.entries()) {
    const names = isObject(profile) ? Object.keys(profile) : [];
    const strange = names.find((name) => !MEMBERS.includes(name));
    if (strange !== undefined) return unknownMember(`policy.${rule}[${n}]`, strange, MEMBERS);
  }
  return undefined;
}

function isProfile(value: unknown): value is WrittenProfile<object> {
  if (!isObject(value) || Object.keys(value).length !== MEMBERS.length) return false;
  return isName(value['name']) && isName(value['group']) && isObject(value['rules']);
}
