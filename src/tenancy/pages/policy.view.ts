import type { Problem } from '../../platform/errors/reasons.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { Phrase } from '../../platform/pages/languages/phrase.js';
import { PICKED } from './model-picker.js';
import type { PickerView } from './model-picker.js';
import type { Faults } from '../../platform/validation/form.pipe.js';
import { LIFTED, fromField, modeField, whenField } from './policy-form.js';
import type { Entered, EnteredPolicy } from './policy-form.js';
import type { FieldKind } from '../policy/policy-values.js';
import { MODE_TEXTS, RULES, SETTINGS, hintOf, labelOf, whatHolds } from './policy-fields.js';
import type { Deciding, PolicyField } from './policy-fields.js';

interface Choice {
  readonly value: string;
  readonly text: Phrase;
  readonly selected: boolean;
}

interface PhaseView {
  readonly when: { readonly name: string; readonly choices: readonly Choice[] };
  readonly from: { readonly name: string; readonly value: string };
}

/** A member of the policy for the template. */
interface PolicyFieldView {
  readonly name: string;
  readonly label: Phrase;
  readonly hint: Phrase;
  /** What holds while it is not set; only of a rule and of a list of choices, which can say so. */
  readonly unset: Phrase | undefined;
  readonly error: Problem | undefined;
  /** How it is entered. */
  readonly is: Readonly<Partial<Record<FieldKind, true>>>;
  /** Only of a rule. */
  readonly mode: { readonly name: string; readonly choices: readonly Choice[] } | undefined;
  /** Only of a rule that sign-ins can be held to. */
  readonly phase: PhaseView | undefined;
  readonly choices: readonly Choice[];
  /** The value of a text area or a number. */
  readonly text: string;
  readonly rows: number;
  /** The picker of a rule on models. */
  readonly picker?: PickerView | undefined;
}

export interface PolicyView {
  readonly rules: readonly PolicyFieldView[];
  readonly settings: readonly PolicyFieldView[];
}

/** What is wrong with the form, and what decides where it says nothing. */
interface RuleContext {
  readonly faults: Faults;
  readonly deciding: Deciding;
  /** How the models of a member are picked, whose AAGUIDs are entered. */
  readonly pick: (name: string, values: readonly string[]) => PickerView;
}

/** Short, since a list of choices cuts off what is longer than itself; the hint says what holds then. */
const NOT_SET = phrase('policy:notSet');
const MIN_ROWS = 2;
const MAX_ROWS = 10;

/** The policy editor, with what is entered and what is wrong with it. */
export const policyView = (form: EnteredPolicy, around: RuleContext): PolicyView => ({
  rules: RULES.map((field) => {
    const it = form.get(field.name);
    const mode = it?.mode ?? '';
    const unset = [mode === '' ? '' : LIFTED, NOT_SET] as const;
    const choices = [unset, ...MODE_TEXTS].map(([value, text]) => choiceOf(value, text, [mode]));
    return {
      ...fieldView(field, it, around),
      unset: unsetText(field, around.deciding),
      mode: { name: modeField(field.name), choices },
      picker: PICKED.includes(field.name) ? around.pick(field.name, it?.values ?? []) : undefined,
      phase: field.onKeys ? phaseView(field.name, it) : undefined,
    };
  }),
  settings: SETTINGS.map((field) => fieldView(field, form.get(field.name), around)),
});

function fieldView(
  field: PolicyField,
  it: Entered | undefined,
  { faults, deciding }: RuleContext,
): PolicyFieldView {
  const { name, kind, values = [] } = field;
  const entered = it?.values ?? [];
  const text = entered.join('\n');
  const rows = Math.min(MAX_ROWS, Math.max(MIN_ROWS, text.split('\n').length));
  const named = values.map((value) => choiceOf(value, phrase('policy:value', { value }), entered));
  const choices = kind === 'choice' ? [choiceOf('', NOT_SET, entered), ...named] : named;
  const error = faults[name];
  return {
    name,
    label: labelOf(field),
    hint: hintOf(field),
    unset: kind === 'choice' ? unsetText(field, deciding) : undefined,
    error,
    is: { [kind]: true },
    mode: undefined,
    phase: undefined,
    choices,
    text,
    rows,
  };
}

function phaseView(name: string, it: Entered | undefined): PhaseView {
  const choices = [
    choiceOf('', phrase('policy:when.registrations'), [it?.when ?? '']),
    choiceOf('both', phrase('policy:when.both'), [it?.when ?? '']),
  ];
  return {
    when: { name: whenField(name), choices },
    from: { name: fromField(name), value: it?.from ?? '' },
  };
}

const unsetText = (field: PolicyField, deciding: Deciding): Phrase =>
  phrase('policy:unset', { holds: whatHolds(field, deciding) });

const choiceOf = (value: string, text: Phrase, entered: readonly string[]): Choice => ({
  value,
  text,
  selected: entered.includes(value),
});
