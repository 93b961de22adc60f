import type { AuthenticatorModels } from '../../trust/authenticator-models.js';

/** The names of the fields for the search text and for the ticked models. */
export const findField = (name: string): string => `${name}.find`;
export const addField = (name: string): string => `${name}.add`;

export type PickerView = ReturnType<typeof pickerOf>;

/**
 * A picker of models by name, beside the field for AAGUIDs.
 *
 * @param text the search text; may be empty
 */
export function pickerOf(
  catalogue: AuthenticatorModels,
  name: string,
  { values, text }: { readonly values: readonly string[]; readonly text: string },
) {
  const entered = values.map((value) => value.toLowerCase());
  const { models, more } = catalogue.search(text);
  const found = {
    text,
    more,
    models: models.filter(({ aaguid }) => !entered.includes(aaguid)),
  };
  return {
    find: findField(name),
    add: addField(name),
    /** Known models whose AAGUIDs are entered. */
    chosen: catalogue.known(entered),
    /** Found models that are not chosen yet. */
    found: text === '' ? undefined : found,
  };
}
