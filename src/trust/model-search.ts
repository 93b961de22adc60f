import { Injectable } from '@nestjs/common';
import { foldedWords } from '../users/search/folding.js';
import { AuthenticatorModels } from './authenticator-models.js';

/** A model to choose from. */
export interface FoundModel {
  readonly aaguid: string;
  readonly name: string;
  /** A `data:` URL. */
  readonly icon: string | null;
}

export interface FoundModels {
  readonly models: readonly FoundModel[];
  /** Number of further matches. */
  readonly more: number;
}

const MOST_FOUND = 12;

/** Finds authenticator models by name, so that administrators need not paste an AAGUID. */
@Injectable()
export class ModelSearch {
  constructor(private readonly models: AuthenticatorModels) {}

  /** Models whose names have words that begin with the words of the text, or whose AAGUID begins with the text. */
  find(text: string): FoundModels {
    const all = modelsCalled(this.models.names(), text);
    const models = all.slice(0, MOST_FOUND).map(([aaguid, name]) => ({
      aaguid,
      name,
      icon: this.models.icon(aaguid),
    }));
    return { models, more: all.length - models.length };
  }

  /** The models with these AAGUIDs, without unknown ones. */
  of(aaguids: readonly string[]): readonly FoundModel[] {
    return aaguids.flatMap((aaguid) => {
      const name = this.models.name(aaguid);
      return name === null ? [] : [{ aaguid, name, icon: this.models.icon(aaguid) }];
    });
  }
}

/** The models that a text matches, as in `find`, sorted by name. */
export function modelsCalled(
  names: ReadonlyMap<string, string>,
  text: string,
): (readonly [aaguid: string, name: string])[] {
  const wanted = foldedWords(text);
  const start = text.trim().toLowerCase();
  if (wanted.length === 0) return [];
  return [...names]
    .filter(([aaguid, name]) => {
      if (aaguid.startsWith(start)) return true;
      const words = foldedWords(name);
      return wanted.every((one) => words.some((word) => word.startsWith(one)));
    })
    .sort(([, one], [, other]) => (one < other ? -1 : 1));
}
