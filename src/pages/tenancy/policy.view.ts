import { dayValue, phrase, type Phrase } from '../../platform/pages/languages/phrase.js';
import { STATUS_VERDICTS } from '../../webauthn/metadata/status.js';
import type { Faults } from '../../platform/validation/dto.pipe.js';
import { parsedJson } from '../../platform/validation/field-validator.js';
import { SECTIONS } from '../../tenancy/policy/policy.js';
import { RULE_MODES, VERDICTS } from '../../tenancy/policy/policy-value-types.js';
import type { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { choiceOf, textIn } from './form.js';
import {
  LIFTED_MODE,
  NOTHING_ENTERED,
  fromField,
  modeField,
  whenField,
  type EnteredMember,
  type EnteredPolicy,
} from './policy-form.js';
import {
  MODEL_MEMBERS,
  POLICY_FIELDS,
  addField,
  findField,
  labelOf,
  listText,
  valueText,
  valuesText,
  defaultValueText,
  type DecidingOptions,
  type PolicyField,
} from './policy-fields.js';
import { profileInWords, profilesOf } from './policy-words.js';

/** The errors of the form, and the options that apply if a member is not set. */
interface RuleContext {
  readonly faults: Faults;
  readonly deciding: DecidingOptions;
  readonly models: AuthenticatorModels;
  /** The fields of a form that is shown again, with the search texts of models. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

/** Short, because a list of choices cuts off longer texts; the hint says what applies. */
const NOT_SET = phrase('policy:notSet');
const REMOVE = phrase('policy:remove');
const MIN_ROWS = 2;
const MAX_ROWS = 10;

/** The members of the policy for the template: those that are set first, the others by section. */
export function policyView(form: EnteredPolicy, context: RuleContext) {
  const all = POLICY_FIELDS.map((field) => {
    const entered = form.get(field.name) ?? NOTHING_ENTERED;
    return { section: field.section, view: fieldView(field, entered, context) };
  });
  const views = (isMeant: (field: (typeof all)[number]) => boolean) =>
    all.filter(isMeant).map(({ view }) => view);
  return {
    set: views(({ view }) => view.sentences.length > 0),
    sections: SECTIONS.map((name) => {
      const fields = views(({ section, view }) => section === name && view.sentences.length === 0);
      const title = phrase(`policy:sections.${name}`);
      return { name, title, fields, open: fields.some(({ open }) => open) };
    }),
  };
}

function fieldView(field: PolicyField, entered: EnteredMember, context: RuleContext) {
  const { name, kind, hasMode } = field;
  const { values } = entered;
  const text = values.join('\n');
  const picker = MODEL_MEMBERS.includes(name) ? pickerOf(name, values, context) : undefined;
  const error = context.faults[name];
  return {
    name,
    label: labelOf(field),
    hint: phrase(`policy:fields.${name}.hint`),
    /** What a set member demands; empty for one that is not set. */
    sentences:
      kind === 'json' ? profileSentences(values, context) : sentencesOf(field, entered, picker),
    /** Whether it is unfolded: it has an error, or models were searched. */
    open: error !== undefined || picker?.found !== undefined,
    /** What applies while it is not set; only for a rule or a list of choices. */
    unset: hasMode || kind === 'choice' ? unsetText(field, context.deciding) : undefined,
    error,
    is: { [kind === 'json' ? 'lines' : kind]: true },
    mode: hasMode ? modeView(name, entered.mode) : undefined,
    /** Only of a rule that can apply to sign-ins. */
    phase: field.onKeys ? phaseView(name, entered) : undefined,
    choices: choicesOf(field, values),
    verdicts: kind === 'verdicts' ? verdictsOf(field, values) : [],
    text,
    rows: Math.min(MAX_ROWS, Math.max(MIN_ROWS, text.split('\n').length)),
    picker,
  };
}

type PickerView = ReturnType<typeof pickerOf>;

/** A picker of models by name, beside the field for AAGUIDs. */
function pickerOf(name: string, values: readonly string[], { models, fields }: RuleContext) {
  const entered = values.map((value) => value.toLowerCase());
  const text = textIn(fields, findField(name));
  const { models: all, more } = models.search(text);
  const found = { text, more, models: all.filter(({ aaguid }) => !entered.includes(aaguid)) };
  return {
    find: findField(name),
    add: addField(name),
    /** Known models whose AAGUIDs are entered. */
    chosen: models.known(entered),
    /** Found models that are not chosen yet. */
    found: text === '' ? undefined : found,
  };
}

/** `User verification is required.` `Enforced.` `At sign-ins too.` */
function sentencesOf(
  field: PolicyField,
  { mode, values, when, from }: EnteredMember,
  picker: PickerView | undefined,
): Phrase[] {
  if (field.hasMode ? mode === '' : values.length === 0) return [];
  const value = picker ? modelsText(values, picker) : valuesText(field, values);
  const first = value ? phrase(`policy:fields.${field.name}.says`, { value }) : labelOf(field);
  return [
    first,
    ...(field.hasMode ? [phrase(`policy:is.${mode}`)] : []),
    ...(when === undefined ? [] : [phraseOfPhase(from)]),
  ];
}

/** `Other rules apply to: Administrators.`, and each profile with the rules that it replaces. */
function profileSentences([text = '']: readonly string[], { models }: RuleContext): Phrase[] {
  const profiles = profilesOf(parsedJson(text));
  const value = listText(profiles.map(({ name }) => phrase('policy:value', { value: name })));
  if (value === undefined) return [];
  const nameOfModel = (aaguid: string) => models.name(aaguid);
  const each = profiles.map((profile) =>
    phrase('policy:profile.sentence', { said: profileInWords(profile, nameOfModel) }),
  );
  return [phrase('policy:fields.profiles.says', { value }), ...each];
}

const phraseOfPhase = (from: string | undefined): Phrase =>
  from === undefined
    ? phrase('policy:is.both')
    : phrase('policy:is.from', { from: dayValue(from) });

/** Models by name, or by AAGUID if the name is unknown. */
const modelsText = (values: readonly string[], { chosen }: PickerView): Phrase | undefined =>
  listText(
    values.map((value) => {
      const known = chosen.find(({ aaguid }) => aaguid === value.toLowerCase());
      return phrase('policy:value', { value: known?.name ?? value });
    }),
  );

function modeView(name: string, mode: string) {
  const unset = mode === '' ? (['', NOT_SET] as const) : ([LIFTED_MODE, REMOVE] as const);
  const modes = RULE_MODES.map((value) => [value, phrase(`policy:modes.${value}`)] as const);
  const choices = [unset, ...modes].map(([value, text]) => choiceOf(value, text, [mode]));
  return { name: modeField(name), choices };
}

function choicesOf(field: PolicyField, entered: readonly string[]) {
  const { kind, values = [] } = field;
  if (kind !== 'choice' && kind !== 'ticks') return [];
  const named = values.map((value) => choiceOf(value, valueText(field, value), entered));
  return kind === 'choice' ? [choiceOf('', NOT_SET, entered), ...named] : named;
}

const verdictsOf = ({ values = [] }: PolicyField, entered: readonly string[]) =>
  values.map((status) => {
    const text = (verdict: string) => phrase(`policy:values.status.${verdict}`);
    const usual = text(STATUS_VERDICTS[status] ?? 'warn');
    return {
      status: phrase(`models:status.${status}`),
      choices: [
        choiceOf('', phrase('policy:usual', { verdict: usual }), entered),
        ...VERDICTS.map((verdict) => choiceOf(`${status}: ${verdict}`, text(verdict), entered)),
      ],
    };
  });

function phaseView(name: string, { when, from }: EnteredMember) {
  const choices = [
    choiceOf('', phrase('policy:when.registrations'), [when ?? '']),
    choiceOf('both', phrase('policy:when.both'), [when ?? '']),
  ];
  return {
    when: { name: whenField(name), choices },
    from: { name: fromField(name), value: from ?? '' },
  };
}

const unsetText = (field: PolicyField, deciding: DecidingOptions): Phrase =>
  phrase('policy:unset', { holds: defaultValueText(field, deciding) });
